#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "app/json/json.hpp"

// Helpers that write gnuplot scripts.
namespace cisolve::app {

/// A figure and its gnuplot script, without terminal and output file.
struct Figure {
  std::string name;     // name of the figure's files, without an extension
  std::string caption;  // sentence under the figure
  std::string script;
  int width = 720;
  int height = 480;
};

/// Quotes any text. Characters that could end the quotation or be executed (backtick, quotes,
/// backslash) are replaced by similar ones.
std::string gnuplot_text(std::string_view text);

/// A missing number.
inline constexpr double kNone = NAN;
inline double number_or_none(const Json& value) { return value.number().value_or(kNone); }

/// A number, or gnuplot's marker for a missing value.
std::string cell(double value);

/// A named table in a script; each cell is a number or a quoted text.
class DataBlock {
 public:
  explicit DataBlock(std::string name) : name_(std::move(name)) {}
  void add(const std::vector<std::string>& cells);
  const std::string& name() const { return name_; }
  bool empty() const { return lines_.empty(); }
  std::string text() const { return name_ + " << END_OF_DATA\n" + lines_ + "END_OF_DATA\n"; }

 private:
  std::string name_;
  std::string lines_;
};

/// Unit of displayed numbers.
struct Unit {
  const char* name;
  double size;
};
std::vector<Unit> time_units();
std::vector<Unit> byte_units();

/// The largest unit that does not exceed the value, else the first; units ascend.
Unit fitting_unit(const std::vector<Unit>& units, double value);

/// Quoted colour of a curve, from the palette of Okabe and Ito, which colour-blind readers can
/// distinguish.
std::string colour(std::size_t curve);
inline constexpr std::size_t kMostCurves = 7;

/// Common style: open axes, a light grid, the legend above the curves.
std::string common_style();

/// Decades as 10^k on the axis "x" or "y".
std::string logarithmic(const char* axis);

}  // namespace cisolve::app

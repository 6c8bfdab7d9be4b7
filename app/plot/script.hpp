#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "app/json/json.hpp"

// The language of gnuplot, as far as the pictures need it.
namespace cisolve::app {

/// A picture: what gnuplot is told once it knows where to draw.
struct Figure {
  std::string name;     // of its files, without an extension
  std::string caption;  // what it shows
  std::string script;
  int width = 720;
  int height = 480;
};

/// In quotation marks, for whatever text: nothing in it is executed or ends the quotation. What
/// could do either is replaced by a character that looks like it.
std::string gnuplot_text(std::string_view text);

/// A number that is not there.
inline constexpr double kNone = NAN;
inline double number_or_none(const Json& value) { return value.number().value_or(kNone); }

/// A number, or what stands for none.
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

/// What numbers are shown in.
struct Unit {
  const char* name;
  double size;
};
std::vector<Unit> time_units();
std::vector<Unit> byte_units();

/// The largest of the units, which rise, that is not larger than the value; else the first.
Unit fitting_unit(const std::vector<Unit>& units, double value);

/// The colour of a curve, quoted, told apart by people who see colours differently (Okabe and Ito).
std::string colour(std::size_t curve);
inline constexpr std::size_t kMostCurves = 7;

/// How all pictures look: open axes, a light grid, the legend above the curves.
std::string common_style();

/// Decades as 10^k on the axis "x" or "y".
std::string logarithmic(const char* axis);

}  // namespace cisolve::app

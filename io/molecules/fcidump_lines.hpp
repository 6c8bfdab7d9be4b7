#pragma once

#include <array>
#include <string_view>

#include "io/files/line_scanner.hpp"

namespace cisolve::io {

/// Quantity denoted by a line's indices.
enum class FcidumpKind { core, orbital_energy, one_electron, two_electron };

struct FcidumpLine {
  const char* where;            // first token of the line
  std::string_view value_text;  // the value as it stands in the file
  double value;
  std::array<int, 4> index;  // counted from 1; 0 if absent
  FcidumpKind kind;
};

enum class ValueColumn { first, last };

/// Column of the value: last if the first token is an integer without point or exponent and the
/// fifth is not.
ValueColumn find_value_column(std::string_view body);

/// Iterates over the lines of a body, each checked for five tokens and indices from 0 to `most`.
/// Throws TextProblem.
class FcidumpLines {
 public:
  FcidumpLines(const char* begin, const char* end, ValueColumn value_column, int most)
      : lines_(begin, end, '!'), value_column_(value_column), most_(most) {}

  /// False at the end of the text.
  bool next(FcidumpLine& line);

 private:
  void read_value(FcidumpLine& line);
  void read_indices(FcidumpLine& line);

  LineScanner lines_;
  ValueColumn value_column_;
  int most_;
};

}  // namespace cisolve::io

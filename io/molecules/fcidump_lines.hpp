#pragma once

#include <array>
#include <string_view>

#include "io/files/line_scanner.hpp"

namespace cisolve::io {

/// What the indices of a line name.
enum class FcidumpKind { core, orbital_energy, one_electron, two_electron };

struct FcidumpLine {
  const char* where;            // the line's first token
  std::string_view value_text;  // as printed
  double value;
  std::array<int, 4> index;  // from 1; 0 where there is none
  FcidumpKind kind;
};

enum class ValueColumn { first, last };

/// Where the value stands in a body: last where its first token is a whole number without a point
/// or an exponent and its fifth is not.
ValueColumn find_value_column(std::string_view body);

/// The lines of a body, one by one, each checked for its five tokens and for indices from 0 to
/// `most`. Throws TextProblem.
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

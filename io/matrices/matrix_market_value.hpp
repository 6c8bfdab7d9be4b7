#pragma once

#include "io/files/line_scanner.hpp"
#include "io/matrices/matrix_market.hpp"

namespace cisolve::io {

/// The value of one element, according to the file's field. Integers must be exact as doubles.
inline double matrix_market_value(LineScanner& line, MatrixMarketField field) {
  if (field == MatrixMarketField::real) return line.real("a value");
  if (field == MatrixMarketField::pattern) return 1;
  const char* where = line.at();
  const Index number = line.integer("an integer value");
  const auto value = static_cast<double>(number);
  if (static_cast<Index>(value) != number)
    throw TextProblem{where, base::concat("the integer ", number,
                                          " would be rounded; expected one "
                                          "of magnitude up to 2^53, or a real matrix")};
  return value;
}

}  // namespace cisolve::io

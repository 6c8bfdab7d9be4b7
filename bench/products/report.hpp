#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "bench/products/measure.hpp"

namespace cisolve::bench {

/// A table, the fastest kernel first.
void write_table(std::ostream& out, const MatrixResults& matrix);

/// All results with all digits; times in seconds, rates in bytes per second.
std::string json(std::span<const MatrixResults> matrices, int repeat);

/// One line per kernel, matrix and number of vectors, below a line of column names.
std::string csv(std::span<const MatrixResults> matrices);

}  // namespace cisolve::bench

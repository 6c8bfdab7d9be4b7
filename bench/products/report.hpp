#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "bench/products/measure.hpp"

namespace cisolve::bench {

/// A table for people, the fastest kernel first.
void write_table(std::ostream& out, const MatrixOutcome& matrix);

/// All of them, with every figure in full; times in seconds, rates in bytes a second.
std::string json(std::span<const MatrixOutcome> matrices, int repeat);

/// One line a kernel, matrix and number of vectors, below a line of names.
std::string csv(std::span<const MatrixOutcome> matrices);

}  // namespace cisolve::bench

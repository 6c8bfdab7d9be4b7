#pragma once

#include <string_view>

#include "sparse/formats/csr.hpp"

namespace cisolve::sparse {

/// The largest |A_ij - A_ji| of a square matrix and the first place, row by row, where it is
/// found. An element that is not stored is zero; a difference that is not a number is infinite.
struct Asymmetry {
  double largest = 0;
  Index row = 0;
  Index column = 0;
};

/// Without a transposed copy: each element looks its partner up by bisection.
Asymmetry locate_asymmetry(const Csr& matrix, const base::Backend& host);

/// max |A - A^T|
double asymmetry(const Csr& matrix, const base::Backend& host);

/// Throws Fault::bad_input, naming where the matrix comes from, unless it is square and
/// max |H - H^T| is at most `tolerance`.
void require_symmetric(const Csr& matrix, std::string_view source, const base::Backend& host,
                       double tolerance = 0);

}  // namespace cisolve::sparse

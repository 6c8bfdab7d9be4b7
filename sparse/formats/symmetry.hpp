#pragma once

#include <string_view>

#include "sparse/formats/csr.hpp"

namespace cisolve::sparse {

/// The largest |A_ij - A_ji| of a square matrix and the first place of it, row by row. Elements
/// that are not stored are zero; a difference that is NaN counts as infinite.
struct Asymmetry {
  double largest = 0;
  Index row = 0;
  Index column = 0;
};

/// Finds each element's mirror image by bisection, without a transposed copy.
Asymmetry locate_asymmetry(const Csr& matrix, const base::Backend& host);

/// max |A - A^T|
double asymmetry(const Csr& matrix, const base::Backend& host);

/// Throws ErrorKind::bad_input with `source` (origin of the matrix) unless it is square and max |H
/// - H^T| is at most `tolerance`.
void require_symmetric(const Csr& matrix, std::string_view source, const base::Backend& host,
                       double tolerance = 0);

}  // namespace cisolve::sparse

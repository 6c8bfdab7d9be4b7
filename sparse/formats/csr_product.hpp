#pragma once

#include "sparse/formats/csr.hpp"

namespace cisolve::sparse {

/// A B of compressed rows in host memory, row by row (Gustavson 1978). Columns ascend; elements
/// that cancel to zero are kept. Sums follow the rows of A, so the bits are independent of threads.
Csr multiply(const Csr& a, const Csr& b, const base::Backend& host);

}  // namespace cisolve::sparse

#pragma once

#include "sparse/formats/csr.hpp"

namespace cisolve::sparse {

/// A B of compressed rows in host memory, row by row (Gustavson). Columns ascend; what adds up to
/// zero stays an element. Sums run along the rows of A, so the bits do not depend on the threads.
Csr multiply(const Csr& a, const Csr& b, const base::Backend& host);

}  // namespace cisolve::sparse

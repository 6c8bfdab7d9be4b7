#pragma once

#include "sparse/stored/products.hpp"

namespace cisolve::sparse::openmp {

/// y = alpha A x + beta y for any number of vectors.
void multiply_diagonals(const base::Backend& backend, double alpha, const DiagonalView& a,
                        base::ConstBlock x, double beta, base::Block y);

}  // namespace cisolve::sparse::openmp

#pragma once

#include <vector>

#include "base/multivector.hpp"

namespace cisolve::solver {

/// What Lanczos knows beside its states when it ends: Ritz vectors V above them and the vector q
/// that carries their residuals, A V = V diag(values) + q couplings^T, so that no product has to be
/// made anew. [V, q] is orthonormal, but q may be zero.
struct KrylovRest {
  base::MultiVector vectors;  // [V, q]
  double largest = 0;         // of all Ritz values
  std::vector<double> values = {};
  std::vector<double> couplings = {};
};

}  // namespace cisolve::solver

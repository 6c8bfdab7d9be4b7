#pragma once

#include <vector>

#include "base/multivector.hpp"

namespace cisolve::solver {

/// Ritz vectors V of Lanczos above its states, and the vector q that carries their residuals: A V =
/// V diag(values) + q couplings^T, so that no product is repeated. [V, q] is orthonormal, except
/// that q may be zero.
struct LanczosRemainder {
  base::MultiVector vectors;  // [V, q]
  double largest = 0;         // largest Ritz value
  std::vector<double> values = {};
  std::vector<double> couplings = {};
};

}  // namespace cisolve::solver

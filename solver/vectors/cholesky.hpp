#pragma once

#include <optional>

#include "base/backend.hpp"
#include "base/small_matrix.hpp"

namespace cisolve::solver {

/// Cholesky factorisation A = L L^T of a positive definite matrix.
class Cholesky {
 public:
  /// Factorises the lower triangle of A on the threads of a host; nothing if A is not positive
  /// definite.
  static std::optional<Cholesky> of(base::SmallMatrix a, const base::Backend& host);

  int rows() const { return factor_.rows(); }
  void solve(base::SmallMatrix& x) const;             // x = L^-1 x
  void solve_transposed(base::SmallMatrix& x) const;  // x = L^-T x

  /// Upper bound of the lowest eigenvalue of A, by a few inverse iterations.
  double lowest() const;

 private:
  explicit Cholesky(base::SmallMatrix factor) : factor_(std::move(factor)) {}

  base::SmallMatrix factor_;  // L, in its lower triangle
};

}  // namespace cisolve::solver

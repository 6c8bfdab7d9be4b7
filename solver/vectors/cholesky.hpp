#pragma once

#include <optional>

#include "base/backend.hpp"
#include "base/small_matrix.hpp"

namespace cisolve::solver {

/// L L^T = A of a positive definite matrix.
class Cholesky {
 public:
  /// From the lower triangle of A, on the threads of a host; nothing where it is not positive
  /// definite.
  static std::optional<Cholesky> of(base::SmallMatrix a, const base::Backend& host);

  int rows() const { return factor_.rows(); }
  void solve(base::SmallMatrix& x) const;             // x = L^-1 x
  void solve_transposed(base::SmallMatrix& x) const;  // x = L^-T x

  /// The lowest eigenvalue of A, from above, as far as a few steps tell.
  double lowest() const;

 private:
  explicit Cholesky(base::SmallMatrix factor) : factor_(std::move(factor)) {}

  base::SmallMatrix factor_;  // L, in its lower triangle
};

}  // namespace cisolve::solver

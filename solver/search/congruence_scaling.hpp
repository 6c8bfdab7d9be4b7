#pragma once

#include <optional>
#include <vector>

#include "solver/task/solver_setup.hpp"
#include "solver/vectors/cholesky.hpp"

namespace cisolve::solver {

/// Largest number of rows of the block of a CongruenceScaling below an energy; 0 if the host lacks
/// memory for it.
int scaling_block_rows(const base::Backend& backend, Index dimension);

/// Region of a search: below an energy, or within a radius of it.
struct SearchRegion {
  double energy = 0;
  std::optional<double> radius = {};
};

/// Congruence scaling W of a search: W W^T approximates A - energy and is positive definite. It is
/// the distances of the diagonal from the energy, at least `floor`, and on the lowest rows the
/// exact block of A - energy, shifted up slightly. Around an energy W is the distances alone, W W^T
/// their squares.
class CongruenceScaling {
 public:
  /// The search excludes `deflated`, so that W is arbitrary there. Keeps the column `roots`.
  CongruenceScaling(const Vectors& vectors, const SolverSetup& setup, SearchRegion region,
                    double floor, ConstColumns deflated, Columns roots);

  void divide(Columns y) const { divide(y, y); }                        // y = W^-1 y
  void divide_transposed(Columns y) const { divide_transposed(y, y); }  // y = W^-T y
  void divide(ConstColumns x, Columns y) const;                         // y = W^-1 x
  void divide_transposed(ConstColumns x, Columns y) const;              // y = W^-T x

  /// Approximate lowest eigenvalue of W W^T.
  double least() const { return least_; }

 private:
  void take_block(const SolverSetup& setup, double energy, double lift, ConstColumns deflated);
  void divide_by_roots(ConstColumns x, Columns y) const;
  void divide(ConstColumns x, Columns y, void (Cholesky::*solve)(SmallMatrix&) const) const;

  const Vectors& vectors_;
  Columns roots_;  // square roots of the distances of the diagonal
  int times_;      // number of divisions by them
  double least_;
  std::vector<Index> rows_;  // rows of the block
  std::optional<Cholesky> block_;
};

}  // namespace cisolve::solver

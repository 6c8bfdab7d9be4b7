#pragma once

#include <optional>
#include <vector>

#include "solver/task/start.hpp"
#include "solver/vectors/cholesky.hpp"

namespace cisolve::solver {

/// How many rows the block in the weights of a search below an energy has at most; 0 where the host
/// has not the room for it.
int rows_in_weights(const base::Backend& backend, Index dimension);

/// What is searched: all that lies below an energy, or all that is nearer to it than a distance.
struct Region {
  double energy = 0;
  std::optional<double> radius = {};
};

/// The weights W of a search. W W^T is a positive definite matrix near to A - energy: the distances
/// of the diagonal from the energy, `floor` where they are less, and on rows of low elements the
/// very block of A - energy, moved up a little. Round an energy W is the distances alone, of whose
/// squares W W^T are.
class Weights {
 public:
  /// Nothing is looked for along `beside`, so that W may be anything there. Keeps a column, for
  /// `roots`.
  Weights(const Vectors& vectors, const Preparation& preparation, Region region, double floor,
          ConstColumns beside, Columns roots);

  void divide(Columns y) const { divide(y, y); }                        // y = W^-1 y
  void divide_transposed(Columns y) const { divide_transposed(y, y); }  // y = W^-T y
  void divide(ConstColumns x, Columns y) const;                         // y = W^-1 x
  void divide_transposed(ConstColumns x, Columns y) const;              // y = W^-T x

  /// About the lowest eigenvalue of W W^T.
  double least() const { return least_; }

 private:
  void take_block(const Preparation& preparation, double energy, double lift, ConstColumns beside);
  void divide_by_roots(ConstColumns x, Columns y) const;
  void divide(ConstColumns x, Columns y, void (Cholesky::*solve)(SmallMatrix&) const) const;

  const Vectors& vectors_;
  Columns roots_;  // of the distances of the diagonal
  int times_;      // that these divide
  double least_;
  std::vector<Index> rows_;  // of the block
  std::optional<Cholesky> block_;
};

}  // namespace cisolve::solver

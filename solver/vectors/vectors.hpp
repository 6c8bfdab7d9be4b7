#pragma once

#include <span>
#include <vector>

#include "base/block_kernels.hpp"
#include "base/multivector.hpp"
#include "base/ranks/communicator.hpp"
#include "solver/vectors/kernels.hpp"

namespace cisolve::solver {

/// The work on long vectors as the solvers write it: the kernels of one backend, with every inner
/// product summed over the ranks.
class Vectors {
 public:
  /// `widest` bounds the columns of what rotate() makes.
  Vectors(const Backend& backend, const base::Communicator& communicator, Index rows, int widest);

  /// What rotate() needs for each column of its result.
  static Index scratch_rows(const Backend& backend, Index rows);

  const Backend& backend() const { return backend_; }
  const base::BlockKernels& blocks() const { return blocks_; }
  const Kernels& kernels() const { return kernels_; }

  /// X^T Y over all ranks.
  SmallMatrix gram(ConstBlock x, ConstBlock y) const;

  /// The norm of each column over all ranks, without overflow or underflow.
  std::vector<double> norms(ConstBlock x);

  /// The sum over all ranks of a local count.
  Index total(Index local) const;

  /// The first c.columns() columns of v become v c, in place: piece by piece of the rows.
  void rotate(Block v, const SmallMatrix& c);

  /// v c on the host, piece by piece.
  base::MultiVector product_on_host(ConstBlock v, const SmallMatrix& c);

 private:
  double norm_by_scaling(ConstBlock column);

  template <class Take>
  void for_each_piece(ConstBlock v, const SmallMatrix& c, Take take);

  Backend backend_;
  const base::Communicator& communicator_;
  const base::BlockKernels& blocks_;
  const Kernels& kernels_;
  base::MultiVector piece_;
};

}  // namespace cisolve::solver

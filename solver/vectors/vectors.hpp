#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/block_kernels.hpp"
#include "base/multivector.hpp"
#include "base/ranks/communicator.hpp"
#include "base/ranks/layout.hpp"
#include "solver/vectors/kernels.hpp"

namespace cisolve::solver {

/// The work on long vectors as the solvers write it: the kernels of one backend on the rows of this
/// rank, with every inner product summed over the ranks, and rows counted over all of them.
class Vectors {
 public:
  /// `widest` bounds the columns of what rotate() makes.
  Vectors(const Backend& backend, const base::Communicator& ranks, const base::Layout& layout,
          int widest);

  /// What rotate() needs for each column of its result.
  static Index scratch_rows(const Backend& backend, Index rows);

  const Backend& backend() const { return backend_; }
  const base::BlockKernels& blocks() const { return blocks_; }
  const Kernels& kernels() const { return kernels_; }
  const base::Communicator& ranks() const { return ranks_; }

  Index rows() const { return rows_; }            // of this rank
  Index first_row() const { return first_row_; }  // of these, among those of all ranks
  Index dimension() const { return dimension_; }  // of all

  /// A block of vectors. Where one rank has no memory for its share, all throw.
  base::MultiVector make(int columns, std::string_view what) const;

  /// X^T Y over all ranks.
  SmallMatrix gram(ConstBlock x, ConstBlock y) const;

  /// The norm of each column over all ranks, without overflow or underflow.
  std::vector<double> norms(ConstBlock x);

  /// As BlockKernels::randomise: the same vectors however their rows are divided.
  void randomise(std::uint64_t seed, Block y) const;

  /// As those of Kernels, over all ranks: what is gathered is known to all, and each rank scatters
  /// into its own rows.
  void gather(ConstBlock x, std::span<const Index> rows, SmallMatrix& values) const;
  void scatter(const SmallMatrix& values, std::span<const Index> rows, Block y) const;
  Extrema extrema(ConstBlock column) const;
  std::vector<Index> lowest(ConstBlock column, Index count) const;

  /// The first c.columns() columns of v become v c, in place: piece by piece of the rows.
  void rotate(Block v, const SmallMatrix& c);

  /// v c on the host, piece by piece.
  base::MultiVector product_on_host(ConstBlock v, const SmallMatrix& c);

 private:
  double norm_by_scaling(ConstBlock column);

  template <class Take>
  void for_each_piece(ConstBlock v, const SmallMatrix& c, Take take);

  /// Those of ascending rows that this rank has: its own numbers of them, and how many lie before.
  struct OwnRows {
    int before;
    std::vector<Index> rows;
  };
  OwnRows own_rows(std::span<const Index> rows) const;

  Backend backend_;
  const base::Communicator& ranks_;
  Index rows_;
  Index first_row_;
  Index dimension_;
  const base::BlockKernels& blocks_;
  const Kernels& kernels_;
  base::MultiVector piece_;
};

}  // namespace cisolve::solver

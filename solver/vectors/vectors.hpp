#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/block_kernels.hpp"
#include "base/ranks/communicator.hpp"
#include "base/ranks/layout.hpp"
#include "solver/vectors/columns.hpp"
#include "solver/vectors/host_panel_store.hpp"
#include "solver/vectors/kernels.hpp"

namespace cisolve::solver {

/// Whether a sum of squares has lost no digits by overflow or underflow.
inline bool has_digits(double square) { return square > 1e-280 && std::isfinite(square); }

/// Operations on long vectors for solvers: kernels of one backend on the rows of this rank, inner
/// products summed over ranks, rows numbered in the canonical order. Hides the memory of the
/// vectors.
class Vectors {
 public:
  /// `widest`: largest number of columns that rotate() makes.
  Vectors(const Backend& backend, const base::Communicator& ranks, base::Layout layout, int widest);

  const Backend& backend() const { return backend_; }
  const base::Communicator& ranks() const { return ranks_; }
  const base::Layout& layout() const { return layout_; }
  Index dimension() const { return layout_.rows(); }

  /// Allocates a block of vectors; `what` names it in errors. Collective: if one rank lacks memory,
  /// all throw.
  base::MultiVector make(int columns, std::string_view what) const;
  /// Whether all ranks have memory for `columns` vectors and a little more.
  bool have_memory_for(int columns) const;

  // ---- local to each rank's rows ----

  void fill(double value, Columns y) const;
  void copy(ConstColumns x, Columns y) const;

  /// y_j = factor_j y_j, or the same factor for all.
  void scale(std::span<const double> factors, Columns y) const;
  void scale(double factor, Columns y) const;

  /// y_j = y_j + factor_j x_j, or the same factor for all.
  void axpy(std::span<const double> factors, ConstColumns x, Columns y) const;
  void axpy(double factor, ConstColumns x, Columns y) const;

  /// Y = alpha X C + beta Y; with beta = 0 the old Y is not read.
  void update(double alpha, ConstColumns x, const SmallMatrix& c, double beta, Columns y) const;

  /// Wraps the function of Kernels.
  void divide_by_shifted(ConstColumns d, std::span<const double> shifts, double floor,
                         ConstColumns x, Columns y) const;
  void divide_by_shifted(ConstColumns d, std::span<const double> shifts, double floor,
                         Columns t) const {
    divide_by_shifted(d, shifts, floor, t, t);
  }
  void sqrt_of_distances(ConstColumns d, double shift, double floor, Columns y) const;

  /// The first c.columns() columns of v become v c, in place, a piece of rows at a time.
  void rotate(Columns v, const SmallMatrix& c);

  // ---- HostPanelStore, with this rank's rows ----

  /// y = y, rounded to single precision.
  void round_to_single(Columns y) const;
  /// Makes a store with the rows of this rank. Collective.
  HostPanelStore make_panel_store(HostPanelStore::Shape shape, std::string_view what) const;
  void put(ConstColumns x, std::span<const double> norms, HostPanelStore& store) const;
  void replace(int first, ConstColumns x, HostPanelStore& store) const;
  /// Returns the norms of the new vectors.
  std::vector<double> rotate(HostPanelStore& store, const SmallMatrix& c,
                             std::span<const double> norms, int exact);

  /// v c on the host, newly allocated, in the layout of these vectors.
  base::MultiVector product_on_host(ConstColumns v, const SmallMatrix& c);

  // ---- collective ----

  /// Passes v c to `take` on rank 0, column by column in canonical order, without allocating. An
  /// exception of `take` is rethrown after all has arrived, since the other ranks send in any case.
  void gather_to_root(ConstColumns v, const SmallMatrix& c, const ElementSink& take);

  /// X^T Y
  SmallMatrix gram(ConstColumns x, ConstColumns y) const;
  /// X^T Y and X^T Z, reading a store once.
  std::pair<SmallMatrix, SmallMatrix> gram_of_both(ConstColumns x, ConstColumns y,
                                                   ConstColumns z) const;

  /// V^T W and W^T W, in one sum over the ranks.
  std::pair<SmallMatrix, SmallMatrix> gram_with_own(ConstColumns v, ConstColumns w) const;

  /// The norm of each column, without overflow or underflow.
  std::vector<double> norms(ConstColumns x);

  // ---- by row numbers ----

  /// Fills y like BlockKernels::randomise(): with the same vectors for any layout.
  void randomise(std::uint64_t seed, Columns y) const;

  /// values_rj = x_(rows_r, j) for ascending rows, known to all ranks.
  void gather(ConstColumns x, std::span<const Index> rows, SmallMatrix& values) const;
  /// y_(rows_r, j) = values_rj for ascending rows; the other elements keep their values.
  void scatter(const SmallMatrix& values, std::span<const Index> rows, Columns y) const;
  /// Like scatter(), but sets the other elements to 0.
  void embed(const SmallMatrix& values, std::span<const Index> rows, Columns y) const;
  /// Column j becomes the unit vector of row rows_j; rows ascend.
  void fill_units(std::span<const Index> rows, Columns y) const;

  /// Both are those of Kernels, over the rows of all ranks.
  Extrema extrema(ConstColumns column) const;
  std::vector<Index> lowest(ConstColumns column, Index count) const;

  /// Gathers whole columns, in canonical order, on the host of every rank.
  void all_gather(ConstColumns x, std::span<double> columns) const;
  /// y = this rank's rows of whole columns on its host, in canonical order.
  void scatter_whole(const SmallMatrix& columns, Columns y) const;
  /// y = columns of `given`, from `first_column` on, on any backend. `given` has this rank's rows,
  /// in the layout of these vectors, or all rows in a layout of its own; throws
  /// ErrorKind::bad_input otherwise.
  void from(const base::MultiVector& given, const base::Layout& layout, Columns y,
            int first_column = 0) const;

 private:
  double norm_by_scaling(ConstColumns column);

  /// X^T Y over this rank's rows.
  void local_gram(ConstColumns x, ConstColumns y, SmallMatrix& g) const;
  /// Like update(), for the rows of y, the first of which is row `first` of x.
  void update_rows(double alpha, ConstColumns x, const SmallMatrix& c, double beta, Index first,
                   Block y) const;

  /// Calls take(offset, piece) for pieces of v c, over `count` rows from `first` on.
  template <class TakePiece>
  void for_each_piece(ConstColumns v, const SmallMatrix& c, Index first, Index count,
                      TakePiece take);
  std::span<const double> send_to_root(ConstColumns v, const SmallMatrix& c,
                                       const base::Layout::Piece& rows);

  std::span<const base::Layout::Piece> pieces() const { return layout_.pieces_of(ranks_.rank()); }

  /// This rank's share of ascending rows: their indices in the list and local positions.
  struct OwnRows {
    std::vector<int> which;
    std::vector<Index> at;
  };
  OwnRows own_rows(std::span<const Index> rows) const;

  /// Element of a column and its row.
  struct Candidate {
    double value;
    Index row;
  };
  std::vector<Candidate> own_lowest(ConstColumns column, Index count) const;

  Backend backend_;
  const base::Communicator& ranks_;
  base::Layout layout_;
  Index rows_;  // rows of this rank
  const base::BlockKernels& blocks_;
  const Kernels& kernels_;
  base::MultiVector piece_;
  base::MultiVector transfer_piece_;  // piece of a vector in transfer, on the host
};

/// Columns first to first + count.
inline Columns columns_of(base::MultiVector& v, int first, int count) {
  return Columns(v).slice(first, count);
}
inline ConstColumns columns_of(const base::MultiVector& v, int first, int count) {
  return ConstColumns(v).slice(first, count);
}

}  // namespace cisolve::solver

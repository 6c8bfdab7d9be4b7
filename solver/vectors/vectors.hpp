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
#include "solver/vectors/kernels.hpp"
#include "solver/vectors/shelf.hpp"

namespace cisolve::solver {

/// Whether a sum of squares is neither so small nor so large that it lost digits by that.
inline bool has_digits(double square) { return square > 1e-280 && std::isfinite(square); }

/// The work on long vectors as the solvers write it: the kernels of one backend on the rows of this
/// rank, with every inner product summed over the ranks, and rows numbered in the canonical order
/// of all. The door to vectors: what lies behind it, and where, its callers need not know.
class Vectors {
 public:
  /// `widest` bounds the columns of what rotate() makes.
  Vectors(const Backend& backend, const base::Communicator& ranks, base::Layout layout, int widest);

  const Backend& backend() const { return backend_; }
  const base::Communicator& ranks() const { return ranks_; }
  const base::Layout& layout() const { return layout_; }
  Index dimension() const { return layout_.rows(); }

  /// A block of vectors. Where one rank has no memory for its share, all throw.
  base::MultiVector make(int columns, std::string_view what) const;
  /// Whether all ranks have memory for so many, and a little more.
  bool have_room_for(int columns) const;

  // ---- the same on every rank, each with its own rows ----

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

  /// As those of Kernels.
  void divide_by_shifted(ConstColumns d, std::span<const double> shifts, double floor,
                         ConstColumns x, Columns y) const;
  void divide_by_shifted(ConstColumns d, std::span<const double> shifts, double floor,
                         Columns t) const {
    divide_by_shifted(d, shifts, floor, t, t);
  }
  void roots_of_distances(ConstColumns d, double shift, double floor, Columns y) const;

  /// The first c.columns() columns of v become v c, in place: piece by piece of the rows.
  void rotate(Columns v, const SmallMatrix& c);

  // ---- of a shelf, whose vectors are those of this rank ----

  /// y = y, rounded to what a shelf keeps of most vectors.
  void round_to_single(Columns y) const;
  /// Rows are those of this rank.
  Shelf make_shelf(Shelf::Shape shape, std::string_view what) const;
  void put(ConstColumns x, std::span<const double> norms, Shelf& shelf) const;
  void replace(int first, ConstColumns x, Shelf& shelf) const;
  /// Returns the norms of the new vectors.
  std::vector<double> rotate(Shelf& shelf, const SmallMatrix& c, std::span<const double> norms,
                             int exact);

  /// v c on the host, in memory of its own and in the layout of these vectors.
  base::MultiVector product_on_host(ConstColumns v, const SmallMatrix& c);

  // ---- over all ranks ----

  /// Takes the elements of vectors as they come, some at a time.
  using Take = std::function<void(std::span<const double>)>;
  /// v c to the first of the ranks, one column after the other in canonical order, in memory that
  /// these vectors hold already. What `take` throws is thrown when all has come, for the others
  /// send it until then.
  void tell_first(ConstColumns v, const SmallMatrix& c, const Take& take);

  /// X^T Y
  SmallMatrix gram(ConstColumns x, ConstColumns y) const;
  /// X^T Y and X^T Z, for which what lies on a shelf is read once.
  std::pair<SmallMatrix, SmallMatrix> gram_of_both(ConstColumns x, ConstColumns y,
                                                   ConstColumns z) const;

  /// V^T W and W^T W, in one sum over the ranks.
  std::pair<SmallMatrix, SmallMatrix> gram_with_own(ConstColumns v, ConstColumns w) const;

  /// The norm of each column, without overflow or underflow.
  std::vector<double> norms(ConstColumns x);

  // ---- by the numbers of rows ----

  /// As BlockKernels::randomise: the same vectors wherever their rows stand.
  void randomise(std::uint64_t seed, Columns y) const;

  /// values_rj = x_(rows_r, j) for ascending rows, known to all ranks.
  void gather(ConstColumns x, std::span<const Index> rows, SmallMatrix& values) const;
  /// y_(rows_r, j) = values_rj for ascending rows; the other elements keep their values.
  void scatter(const SmallMatrix& values, std::span<const Index> rows, Columns y) const;
  /// The same, and zero elsewhere.
  void embed(const SmallMatrix& values, std::span<const Index> rows, Columns y) const;
  /// Column j becomes the unit vector of row rows_j; rows ascend.
  void fill_units(std::span<const Index> rows, Columns y) const;

  /// As those of Kernels, of the rows of all.
  Extrema extrema(ConstColumns column) const;
  std::vector<Index> lowest(ConstColumns column, Index count) const;

  /// Brings whole columns, one after the other, to the host of every rank, in canonical order.
  void to_all(ConstColumns x, std::span<double> columns) const;
  /// Takes the rows of this rank from whole columns on its host, in canonical order.
  void from_whole(const SmallMatrix& columns, Columns y) const;
  /// Takes columns of vectors on any backend, from the first one or a later one on. These have the
  /// rows of this rank, in the layout of these vectors, or else all rows, in one of their own;
  /// other ones are Fault::bad_input.
  void from(const base::MultiVector& given, const base::Layout& layout, Columns y,
            int first_column = 0) const;

 private:
  double norm_by_scaling(ConstColumns column);

  /// Over the rows of this rank.
  void local_gram(ConstColumns x, ConstColumns y, SmallMatrix& g) const;
  /// As update(), of the rows from `first` on that y has.
  void update_rows(double alpha, ConstColumns x, const SmallMatrix& c, double beta, Index first,
                   Block y) const;

  /// Of so many rows from the first one on.
  template <class TakePiece>
  void for_each_piece(ConstColumns v, const SmallMatrix& c, Index first, Index count,
                      TakePiece take);
  std::span<const double> bring_to_first(ConstColumns v, const SmallMatrix& c,
                                         const base::Layout::Piece& rows);

  std::span<const base::Layout::Piece> pieces() const { return layout_.pieces_of(ranks_.rank()); }

  /// Those of ascending rows that this rank has: which of them, and where these stand.
  struct OwnRows {
    std::vector<int> which;
    std::vector<Index> at;
  };
  OwnRows own_rows(std::span<const Index> rows) const;

  /// An element of a column by its row.
  struct Candidate {
    double value;
    Index row;
  };
  std::vector<Candidate> own_lowest(ConstColumns column, Index count) const;

  Backend backend_;
  const base::Communicator& ranks_;
  base::Layout layout_;
  Index rows_;  // of this rank
  const base::BlockKernels& blocks_;
  const Kernels& kernels_;
  base::MultiVector piece_;
  base::MultiVector on_its_way_;  // on the host: a piece of a vector that is told
};

/// Columns first to first + count of vectors.
inline Columns columns_of(base::MultiVector& v, int first, int count) {
  return Columns(v).slice(first, count);
}
inline ConstColumns columns_of(const base::MultiVector& v, int first, int count) {
  return ConstColumns(v).slice(first, count);
}

}  // namespace cisolve::solver

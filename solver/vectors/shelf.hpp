#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "base/block_kernels.hpp"

namespace cisolve::solver {

using base::Backend;
using base::Block;
using base::ConstBlock;
using base::Index;
using base::SmallMatrix;

/// Vectors that are read and combined, but not multiplied, of this process alone, in the memory of
/// the host: a few are kept as they are, the others in single precision, each with a factor of its
/// own so that its size does not matter. They lie in panels of rows, in each column after column,
/// so that a panel moves to a device as one piece.
class Shelf {
 public:
  struct Shape {
    Index rows = 0;
    int exact = 0;  // columns in double precision
    int single = 0;
  };
  Shelf(const Backend& backend, const Shape& shape, std::string_view what);

  static Index panel_rows(bool on_host, Index rows);

  int size() const { return static_cast<int>(std::ssize(slots_)); }

  /// How many of so many vectors that are put next are kept as they are.
  int exact_of_next(int count) const { return std::min(count, shape_.exact - used_.exact); }

  /// Puts vectors of about these norms behind the others.
  void put(ConstBlock vectors, std::span<const double> norms);
  /// Puts vectors in the place of some that are kept as they are, one of them after the other.
  void replace(int first, ConstBlock vectors);

  /// G = V^T Y of each of some blocks, in one reading of V.
  struct Products {
    ConstBlock y;
    SmallMatrix* g;
  };
  void gram(std::span<const Products> products) const;

  /// Y = alpha V C + beta Y, where Y has the rows from `first` on.
  void update(double alpha, const SmallMatrix& c, double beta, Index first, Block y) const;

  /// V = V C, of about these norms, of which the first `exact` columns are kept as they are. `room`
  /// is for some rows of the new columns. Returns the squares of their norms.
  std::vector<double> rotate(const SmallMatrix& c, std::span<const double> norms, int exact,
                             Block room);

 private:
  struct Slot {
    bool exact;
    int at;        // among those of its kind
    double scale;  // a value is so many times what is kept: a power of two, which rounds nothing
  };

  /// Columns of either kind that are in use, or the first of some.
  struct Counts {
    int exact = 0;
    int single = 0;
  };

  /// Rows of one panel.
  struct Rows {
    Index panel_first;
    Index panel_rows;
    Index first;  // in the panel
    Index count;
    bool are_all() const { return count == panel_rows; }
  };
  std::vector<Rows> parts_of(Index first, Index count, Index most) const;

  /// What is kept in some rows, where kernels read it.
  struct Part {
    Index at = 0;  // counted from the first row that was asked for
    Rows rows;
    int turn = 0;  // of the two places that there are on a device
    ConstBlock exact;
    base::ConstSingleBlock single;
  };
  /// Calls use(part) for parts of at most so many rows, one after the other. While kernels work on
  /// one the next one comes.
  template <class Use>
  void for_each_part(Index first, Index count, Index most, Use use) const;
  /// The same of all rows, of which nothing is read.
  template <class Use>
  void for_each_panel(Use use) const;

  struct Unpin {
    Backend device;
    void operator()(void* memory) const noexcept;
  };

  /// All columns of one kind.
  template <class Value>
  struct Kept {
    int count;
    base::Array<Value> values;
    mutable base::Array<Value> panels;  // two on the device, if there is one
    std::unique_ptr<void, Unpin> pinned;

    /// Where rows of a column lie; that of the next one is as many further on as the panel has.
    Index place(int column, const Rows& rows) const {
      return rows.panel_first * count + column * rows.panel_rows + rows.first;
    }
  };
  template <class Value>
  Kept<Value> make(int count, std::string_view what) const;
  /// The first so many columns, where kernels read them once the lane leads.
  template <class Value>
  base::BasicBlock<const Value> bring(const Kept<Value>& kept, int count, const Rows& rows,
                                      int turn) const;
  /// Has `fill` write columns first to first + count.
  template <class Value, class Fill>
  void take(Kept<Value>& kept, int first, int count, const Rows& rows, int turn, Fill fill);
  void write(ConstBlock values, const Rows& rows, int turn, Counts from,
             std::span<const Slot> slots);

  void add_gram(const Part& part, ConstBlock y, SmallMatrix& g) const;
  /// Y = alpha V C + beta Y, of c divided into its rows.
  void update(double alpha, const Part& part, const std::pair<SmallMatrix, SmallMatrix>& c,
              double beta, Block y) const;
  static std::vector<Slot> slots_from(Counts first, int exact, std::span<const double> norms);
  SmallMatrix scaled_rows(const SmallMatrix& c, bool exact) const;
  std::pair<SmallMatrix, SmallMatrix> divided(const SmallMatrix& c) const {
    return {scaled_rows(c, true), scaled_rows(c, false)};
  }

  Backend backend_;
  Backend home_;
  Shape shape_;
  Index panel_rows_;
  const base::BlockKernels& blocks_;
  Kept<double> exact_;
  Kept<float> single_;
  mutable std::optional<base::cuda::Lane> lane_;  // where there is a device
  std::vector<Slot> slots_;
  Counts used_;
};

}  // namespace cisolve::solver

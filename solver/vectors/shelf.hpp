#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
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

  Index rows() const { return shape_.rows; }
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
  template <class Use>
  void for_each_panel(Index first, Index count, Use use) const;

  struct Unpin {
    Backend device;
    void operator()(void* memory) const noexcept;
  };

  /// All columns of one kind.
  template <class Value>
  struct Kept {
    int count;
    base::Array<Value> values;
    mutable base::Array<Value> panel;  // on the device, if there is one
    std::unique_ptr<void, Unpin> pinned;

    /// Where rows of a column lie; that of the next one is as many further on as the panel has.
    Index place(int column, const Rows& rows) const {
      return rows.panel_first * count + column * rows.panel_rows + rows.first;
    }
  };
  template <class Value>
  Kept<Value> make(int count, std::string_view what) const;
  /// The first so many columns, where kernels read them.
  template <class Value>
  base::BasicBlock<const Value> bring(const Kept<Value>& kept, int count, const Rows& rows) const;
  /// Has `fill` write columns first to first + count.
  template <class Value, class Fill>
  void take(Kept<Value>& kept, int first, int count, const Rows& rows, Fill fill);
  void write(ConstBlock values, const Rows& rows, Counts from, std::span<const Slot> slots);

  void add_gram(ConstBlock exact, base::ConstSingleBlock single, ConstBlock y,
                SmallMatrix& g) const;
  static std::vector<Slot> slots_from(Counts first, int exact, std::span<const double> norms);
  SmallMatrix scaled_rows(const SmallMatrix& c, bool exact) const;

  Backend backend_;
  Backend home_;
  Shape shape_;
  Index panel_rows_;
  const base::BlockKernels& blocks_;
  Kept<double> exact_;
  Kept<float> single_;
  std::vector<Slot> slots_;
  Counts used_;
};

}  // namespace cisolve::solver

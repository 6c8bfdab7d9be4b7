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
#include "base/device.hpp"

namespace cisolve::solver {

using base::Backend;
using base::Block;
using base::ConstBlock;
using base::Index;
using base::SmallMatrix;

/// Host storage of this process's vectors that are read and combined, but not multiplied: a few in
/// double precision, the others in single precision with a scale each. Stored in panels of rows,
/// column by column in each, so that a panel is copied to a device at once.
class HostPanelStore {
 public:
  struct Shape {
    Index rows = 0;
    int exact = 0;  // columns in double precision
    int single = 0;
  };
  HostPanelStore(const Backend& backend, const Shape& shape, std::string_view what);

  static Index panel_rows(bool on_host, Index rows);

  int size() const { return static_cast<int>(std::ssize(slots_)); }

  /// Number of the next `count` vectors that are stored in double precision.
  int exact_of_next(int count) const { return std::min(count, shape_.exact - used_.exact); }

  /// Appends vectors of about these norms.
  void put(ConstBlock vectors, std::span<const double> norms);
  /// Replaces adjacent vectors from `first` on, which must be stored in double precision.
  void replace(int first, ConstBlock vectors);

  /// G = V^T Y for several blocks Y, in one pass over V.
  struct Products {
    ConstBlock y;
    SmallMatrix* g;
  };
  void gram(std::span<const Products> products) const;

  /// Y = alpha V C + beta Y, for the rows of Y, the first of which is row `first` of V.
  void update(double alpha, const SmallMatrix& c, double beta, Index first, Block y) const;

  /// V = V C, with about these norms and the first `exact` columns in double precision. `workspace`
  /// holds some rows of the new columns. Returns the squares of their norms.
  std::vector<double> rotate(const SmallMatrix& c, std::span<const double> norms, int exact,
                             Block workspace);

 private:
  struct Slot {
    bool exact;
    int at;        // column among those of its precision
    double scale;  // value = scale * stored value; a power of two, so exact
  };

  /// Numbers of columns in use, or first columns, by precision.
  struct Counts {
    int exact = 0;
    int single = 0;
  };

  /// Range of rows within one panel.
  struct PanelRows {
    Index panel_first;
    Index panel_rows;
    Index first;  // first column in the panel
    Index count;
    bool are_all() const { return count == panel_rows; }
  };
  std::vector<PanelRows> parts_of(Index first, Index count, Index most) const;

  /// Stored rows, readable by kernels.
  struct PanelPart {
    Index at = 0;  // relative to the first requested row
    PanelRows rows;
    int buffer = 0;  // number of the device buffer, 0 or 1
    ConstBlock exact;
    base::ConstSingleBlock single;
  };
  /// Calls use(part) for consecutive parts of at most `most` rows; copies the next part while
  /// kernels work on one.
  template <class Use>
  void for_each_part(Index first, Index count, Index most, Use use) const;
  /// Calls use(rows) for all panels, without copying.
  template <class Use>
  void for_each_panel(Use use) const;

  struct Unpin {
    Backend device;
    void operator()(void* memory) const noexcept;
  };

  /// All columns of one precision.
  template <class Value>
  struct ColumnSet {
    int count;
    base::Array<Value> values;
    mutable base::Array<Value> panels;  // two device buffers, if there is a device
    std::unique_ptr<void, Unpin> pinned;

    /// Offset of the first of `rows` in a column; columns are panel_rows apart.
    Index place(int column, const PanelRows& rows) const {
      return rows.panel_first * count + column * rows.panel_rows + rows.first;
    }
  };
  template <class Value>
  ColumnSet<Value> make(int count, std::string_view what) const;
  /// The first `count` columns, readable by kernels after CopyStream::make_stream_wait().
  template <class Value>
  base::BasicBlock<const Value> bring(const ColumnSet<Value>& kept, int count,
                                      const PanelRows& rows, int buffer) const;
  /// Calls `fill` to write columns first to first + count.
  template <class Value, class Fill>
  void write_columns(ColumnSet<Value>& kept, int first, int count, const PanelRows& rows,
                     int buffer, Fill fill);
  void write(ConstBlock values, const PanelRows& rows, int buffer, Counts from,
             std::span<const Slot> slots);

  void add_gram(const PanelPart& part, ConstBlock y, SmallMatrix& g) const;
  /// Y = alpha V C + beta Y, with the rows of c divided by precision.
  void update(double alpha, const PanelPart& part, const std::pair<SmallMatrix, SmallMatrix>& c,
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
  ColumnSet<double> exact_;
  ColumnSet<float> single_;
  mutable std::optional<base::cuda::CopyStream> copy_stream_;  // set if there is a device
  std::vector<Slot> slots_;
  Counts used_;
};

}  // namespace cisolve::solver

#pragma once

#include "sparse/tiled/cuda/cell_places.cuh"

// The elements of a cell in the order of one lane.
namespace cisolve::sparse::cuda {

/// Arguments common to the layout kernels.
struct LayoutView {
  const BlockView* blocks;
  const KeptCell* cells;
  Index count;  // number of cells
  const std::uint32_t* parts;
  const RunStart* starts;
  const std::uint16_t* lane_rows;
  const Index* first_units;
  WindowView window;
  std::uint32_t width;  // width of a tile, in pairs
  TileCode code;
  int vectors;
  TileUnit* units;
  CodedUnit* coded_units;  // null if values are plain
};

/// Iterates over the elements of a block's rows in one tile; prefetches the next row's part.
class TileWalk {
 public:
  /// Starts at an element of a row.
  __device__ TileWalk(const LayoutView& all, const BlockView& block, const KeptCell& cell,
                      RunStart start)
      : offsets_(all.window.offsets + block.first_row),
        parts_(all.parts + block.first_part + cell.tile),
        parts_of_row_(block.tiles + 1),
        rows_(static_cast<int>(block.rows)),
        row_(static_cast<int>(start.row) - 1) {
    bring_next();
    find_row();
    k_ += start.element;
  }

  __device__ bool done() const { return row_ == rows_; }
  __device__ int row() const { return row_; }
  __device__ Index element() const { return k_; }  // index in the window
  __device__ void advance() {
    if (++k_ == end_) find_row();
  }

 private:
  /// Advances to the next row with elements.
  __device__ void find_row() {
    do {
      ++row_;
      if (done()) return;
      k_ = next_row_ + next_begin_;
      end_ = next_row_ + next_end_;
      bring_next();
    } while (k_ == end_);
  }

  __device__ void bring_next() {
    if (row_ + 1 >= rows_) return;
    const std::uint32_t* part = parts_ + (row_ + 1) * parts_of_row_;
    next_begin_ = part[0];
    next_end_ = part[1];
    next_row_ = offsets_[row_ + 1];
  }

  const Index* offsets_;
  const std::uint32_t* parts_;
  Index parts_of_row_;
  int rows_;
  int row_;
  Index k_ = 0;
  Index end_ = 0;
  Index next_row_ = 0;
  std::uint32_t next_begin_ = 0;
  std::uint32_t next_end_ = 0;
};

/// Content of a unit's position; a jump has no value.
struct CodedValue {
  unsigned code;
  double value;
};

/// Returns the sequence of a cell from the begin of a run on, followed by jumps that no element
/// follows. Elements are loaded two calls ahead and their columns' positions one call ahead, so
/// that no call waits for memory.
class LaneSequence {
 public:
  __device__ LaneSequence(const LayoutView& all, const BlockView& block, const KeptCell& cell,
                          Index run)
      : columns_(all.window.columns),
        values_(all.window.values),
        code_(all.code),
        places_{block.pairs, all.width},
        first_rank_(cell.tile * all.width),
        walk_(all, block, cell, all.starts[run]),
        row_before_(all.lane_rows[run]) {
    read();
    move_up();
  }

  __device__ CodedValue next() {
    if (now_.row < 0) return {code_.jump() << code_.column_bits, 0};
    const auto way = static_cast<unsigned>(now_.row - row_before_);
    if (way >= code_.jump()) {
      const unsigned step = min(way, code_.longest_jump());
      row_before_ += static_cast<int>(step);
      return {code_.jump() << code_.column_bits | step, 0};
    }
    row_before_ = now_.row;
    const unsigned column = (TilePlaces::rank(word_, now_.column) - first_rank_) * 2 +
                            static_cast<unsigned>(now_.column % 2);
    const double value = now_.value;
    move_up();
    return {way << code_.column_bits | column, value};
  }

 private:
  struct Element {
    int row;  // -1: none
    Column column;
    double value;
  };

  __device__ void read() {
    if (walk_.done()) {
      behind_ = {-1, 0, 0};
      return;
    }
    behind_ = {walk_.row(), columns_[walk_.element()], values_[walk_.element()]};
    walk_.advance();
  }

  __device__ void move_up() {
    now_ = behind_;
    word_ = places_.word(now_.column);
    read();
  }

  const Column* columns_;
  const double* values_;
  const TileCode code_;
  const TilePlaces places_;
  const std::uint32_t first_rank_;  // first rank of the tile
  TileWalk walk_;
  int row_before_;  // row of the preceding code
  Element now_;     // returned next
  PairWord word_;   // word of its column
  Element behind_;  // the one after
};

}  // namespace cisolve::sparse::cuda

#pragma once

#include "sparse/tiled/cuda/cell_places.cuh"

// The elements of a cell as one lane meets them.
namespace cisolve::sparse::cuda {

/// All that the kernels of the layout share.
struct LayoutView {
  const BlockView* blocks;
  const KeptCell* cells;
  Index count;  // of the cells
  const std::uint32_t* parts;
  const RunStart* starts;
  const std::uint16_t* lane_rows;
  const Index* first_units;
  WindowView window;
  std::uint32_t width;  // of a tile, in pairs
  TileCode code;
  int vectors;
  TileUnit* units;
  CodedUnit* coded_units;  // null where values are plain
};

/// Goes along the elements that the rows of a block have in one tile. What the next row has is
/// brought while the one before is read.
class TileWalk {
 public:
  /// From an element of a row on.
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
  __device__ Index element() const { return k_; }  // in the window
  __device__ void advance() {
    if (++k_ == end_) find_row();
  }

 private:
  /// The next row that has any.
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

/// What a place of a unit holds; a jump has no value.
struct CodedValue {
  unsigned code;
  double value;
};

/// Gives the sequence of a cell from where a run begins; then jumps that lead nowhere. An element
/// is read two calls before it is given, and the place of its column one call before: no call waits
/// for memory.
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
  const std::uint32_t first_rank_;  // of the tile
  TileWalk walk_;
  int row_before_;  // of the code before
  Element now_;     // which is given next
  PairWord word_;   // of its column
  Element behind_;  // the one after
};

}  // namespace cisolve::sparse::cuda

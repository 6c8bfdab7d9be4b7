#pragma once

#include <algorithm>
#include <vector>

#include "sparse/build.hpp"
#include "sparse/tiled.hpp"

// What the tiled format decides before it places any element: blocks of rows, and the cells of each
// block that are worth a tile.
namespace cisolve::sparse {

inline constexpr Index kUnitElements = Index{kUnitWidth} * kTileLanes;

/// A place in the sequence of a cell's elements.
struct Cursor {
  TileCode code;
  Index row = 0;  // of the element before, in the block
  Index count = 0;

  /// Calls emit(code) for the codes of the next element, a jump first if one is needed.
  template <class Emit>
  void append(Index next_row, Index column, Emit&& emit) {
    while (next_row - row >= Index{code.jump()}) {
      const Index step = std::min(next_row - row, Index{code.longest_jump()});
      emit(code.of(code.jump(), step));
      row += step;
    }
    emit(code.of(next_row - row, column));
    row = next_row;
  }
};

/// The rows of a block, in pieces as the source likes to give them.
template <class Take>
void for_each_row_of_block(const RowSource& source, std::span<const Column> lengths, Index first,
                           Index last, Take&& take) {
  const Index grain = source.grain();
  std::vector<Column> columns;
  std::vector<double> values;
  for (Index begin = first; begin < last;) {
    const Index end = std::min(last, (begin / grain + 1) * grain);
    const Index size = total(lengths.subspan(begin, end - begin));
    columns.resize(size);
    values.resize(size);
    source.fill(begin, end, columns, values);
    Index k = 0;
    for (Index row = begin; row < end; ++row) {
      const Index length = lengths[row];
      take(Row{row - first, std::span(columns).subspan(k, length),
               std::span(values).subspan(k, length)});
      k += length;
    }
    begin = end;
  }
}

struct Cell {
  Index tile;
  Index units;
  Index warp_units(int warp) const {
    return (warp + 1) * units / kTileWarps - warp * units / kTileWarps;
  }
};

struct BlockPlan {
  std::vector<Cell> cells;      // those worth a tile
  std::vector<Column> in_tail;  // the other elements of each row
};

/// Rows at which blocks begin, and the end: about equally many elements in each. The columns of a
/// tile are what the highest block leaves room for.
struct Division {
  std::vector<Index> begins;
  Index tile_columns;
  TileCode code;
  bool worthwhile;  // else all goes to the tail
};

Division divide(const MatrixShape& shape, std::span<const Column> lengths,
                const TileGeometry& geometry);

/// For the rows from `first` to before `last`.
BlockPlan plan_block(const RowSource& source, std::span<const Column> lengths, Index first,
                     Index last, const Division& division, const TileGeometry& geometry);

}  // namespace cisolve::sparse

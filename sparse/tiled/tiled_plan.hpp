#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "sparse/rows/build.hpp"
#include "sparse/tiled/tile_packing.hpp"
#include "sparse/tiled/tiled.hpp"

// What the tiled format decides before it places any element: blocks of rows, and the cells of each
// block that are worth a tile.
namespace cisolve::sparse {

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
  Index tile = 0;
  Index columns = 0;  // of the tile, in so many runs
  Index runs = 0;
  Index elements = 0;
  Index row_parts = 0;  // rows that have some of them
  Index units = 0;
  bool kept = false;  // else its elements are left to the tail

  Index warp_units(int warp) const {
    return (warp + 1) * units / kTileWarps - warp * units / kTileWarps;
  }
};

struct BlockPlan {
  std::vector<PackedRun> runs;  // the columns of its tiles; a device keeps them to itself
  std::vector<Cell> cells;      // one for each tile
  std::vector<Column> in_tail;  // how many elements of each row; likewise
};

/// Rows at which blocks begin, and the end. The columns of a tile are what the highest block leaves
/// room for.
struct Division {
  std::vector<Index> begins;
  Index tile_columns;
  TileCode code;
  bool worthwhile;  // else all goes to the tail
};

/// What plans the blocks of a division that have these numbers.
using BlockPlanner =
    std::function<std::vector<BlockPlan>(const Division& division, std::span<const Index> blocks)>;

/// Whether the rows are too many and too short to be worth a division.
bool is_undivided(const MatrixShape& shape, Index elements, const TileGeometry& geometry);
Division undivided(const MatrixShape& shape);

/// Into one block for each place of the geometry; into several where a few blocks that are tried
/// out show that it saves more time to have wider tiles. offsets[i] elements stand before row i.
Division divide(const MatrixShape& shape, std::span<const Index> offsets,
                const TileGeometry& geometry, const BlockPlanner& plan);

/// On the host, from the rows of a source.
std::vector<BlockPlan> plan_blocks(const RowSource& source, std::span<const Column> lengths,
                                   const Division& division, std::span<const Index> blocks,
                                   const TileGeometry& geometry, const base::Backend& host);

/// All blocks of a division; every cell is kept unless a tail pays.
std::vector<BlockPlan> plan_all(const Division& division, Index rows, const TileGeometry& geometry,
                                const BlockPlanner& plan);

/// Keeps the cells that are worth a tile.
void choose_cells(BlockPlan& plan, const TileGeometry& geometry);

/// Room for the cells of all blocks beside their tail, in the memory that has the tail; with all
/// that says where they lie, but without cell_units. With magnitudes the elements are coded.
Tiled make_room(const MatrixShape& shape, Index elements, const TileGeometry& geometry,
                const Division& division, const std::vector<BlockPlan>& plans, Csr tail,
                std::span<const double> magnitudes = {});

/// A place of a unit; of a coded matrix, the bits of the value are its code (code_as_value).
struct PlacedElement {
  std::uint16_t code;
  double value;
};
PlacedElement element_at(const Tiled& matrix, Index unit, int lane, Index k);
void put_element(Tiled& matrix, Index unit, int lane, Index k, const PlacedElement& element);

inline constexpr Index kRunColumns = 32;  // of one vector, which cost as much as a further run

/// What a cell costs beside its elements, in elements: its part of x is brought run by run, at the
/// pace of four columns an element, the threads meet when it is there, and each row has a sum for
/// each vector. Measured on an H200.
Index cost_of_cell(const Cell& cell, const TileGeometry& geometry);

/// What the elements of a cell cost more where their parts of x are gathered one by one.
Index cost_of_gathers(const Cell& cell, const TileGeometry& geometry);

}  // namespace cisolve::sparse

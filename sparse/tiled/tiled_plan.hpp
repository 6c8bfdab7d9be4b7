#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "sparse/rows/build.hpp"
#include "sparse/tiled/tile_packing.hpp"
#include "sparse/tiled/tiled.hpp"

// Decisions of the tiled format before any element is placed: blocks of rows, and the cells of each
// block that are worth a tile.
namespace cisolve::sparse {

/// Encoder of the sequence of a cell's elements.
struct Cursor {
  TileCode code;
  Index row = 0;  // row of the preceding element, in the block
  Index count = 0;

  /// Calls emit(code) for the codes of the next element, jumps first if needed.
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

/// Passes the rows of a block to `take`, read in pieces that match the source's grain.
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
  Index columns = 0;  // columns of the tile, and their number of runs
  Index runs = 0;
  Index elements = 0;
  Index row_parts = 0;  // rows with elements in the cell
  Index units = 0;
  bool kept = false;  // otherwise its elements go to the tail

  Index warp_units(int warp) const {
    return (warp + 1) * units / kTileWarps - warp * units / kTileWarps;
  }
};

struct BlockPlan {
  std::vector<PackedRun> runs;  // columns of its tiles; empty in a device's plan
  std::vector<Cell> cells;      // one cell per tile
  std::vector<Column> in_tail;  // number of elements per row; empty in a device's plan
};

/// First rows of blocks, and the end. The highest block limits the columns of a tile.
struct Division {
  std::vector<Index> begins;
  Index tile_columns;
  TileCode code;
  bool worthwhile;  // otherwise all elements go to the tail
};

/// Plans the given blocks of a division.
using BlockPlanner =
    std::function<std::vector<BlockPlan>(const Division& division, std::span<const Index> blocks)>;

/// True if the rows are too many and too short to be worth a division.
bool is_undivided(const MatrixShape& shape, Index elements, const TileGeometry& geometry);
Division undivided(const MatrixShape& shape);

/// Divides into one block per place of the geometry, or into several if trial plans of a few blocks
/// show that wider tiles save time. offsets[i] elements precede row i.
Division divide(const MatrixShape& shape, std::span<const Index> offsets,
                const TileGeometry& geometry, const BlockPlanner& plan);

/// Plans blocks on the host, from the rows of a source.
std::vector<BlockPlan> plan_blocks(const RowSource& source, std::span<const Column> lengths,
                                   const Division& division, std::span<const Index> blocks,
                                   const TileGeometry& geometry, const base::Backend& host);

/// Plans all blocks of a division; keeps every cell unless a tail pays.
std::vector<BlockPlan> plan_all(const Division& division, Index rows, const TileGeometry& geometry,
                                const BlockPlanner& plan);

/// Marks the cells that are worth a tile.
void choose_cells(BlockPlan& plan, const TileGeometry& geometry);

/// Allocates the cells of all blocks where the tail is, and sets all positions except cell_units.
/// With magnitudes the elements are coded.
Tiled allocate_tiles(const MatrixShape& shape, Index elements, const TileGeometry& geometry,
                     const Division& division, const std::vector<BlockPlan>& plans, Csr tail,
                     std::span<const double> magnitudes = {});

/// Content of a unit's position; in a coded matrix, `value` contains the bits of the code
/// (code_as_value).
struct PlacedElement {
  std::uint16_t code;
  double value;
};
PlacedElement element_at(const Tiled& matrix, Index unit, int lane, Index k);
void put_element(Tiled& matrix, Index unit, int lane, Index k, const PlacedElement& element);

inline constexpr Index kRunColumns = 32;  // columns of one vector whose cost equals a further run's

/// Cost of a cell apart from its elements, in units of elements: x is copied run by run at four
/// columns per element, threads synchronise when it has arrived, and each row has one sum per
/// vector. Measured on an H200.
Index cost_of_cell(const Cell& cell, const TileGeometry& geometry);

/// Additional cost of a cell's elements if their values of x are gathered one by one.
Index cost_of_gathers(const Cell& cell, const TileGeometry& geometry);

}  // namespace cisolve::sparse

#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "base/array.hpp"
#include "base/host_device.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/formats/options.hpp"

namespace cisolve::sparse {

inline constexpr int kTileWarps = 16;  // that share a block of rows
inline constexpr int kTileLanes = 32;
inline constexpr int kTileThreads = kTileWarps * kTileLanes;
inline constexpr int kUnitWidth = 4;  // elements of a lane in a unit
inline constexpr Index kUnitElements = Index{kUnitWidth} * kTileLanes;
inline constexpr int kWidestTiles = 8;  // vectors at once

/// A coded value is the number of a magnitude, and a sign.
inline constexpr int kValueSign = 1 << 15;
inline constexpr Index kMostMagnitudes = kValueSign;

/// A block's cells after which what its warps hand on is added up, and how much that is.
inline constexpr int kCarriedCells = 8;
inline constexpr int kTileCarries = kCarriedCells * kTileWarps;

/// A smaller matrix is all tail: its product is over before tiles could help.
inline constexpr Index kLeastTiledElements = 3'000'000;

/// A matrix whose rows are shorter in the mean is all tail too. Lattices with 16 to 27
/// elements in a row take longer in tiles than in CSR; one with 35 took two minutes to lay out.
inline constexpr Index kLeastTiledRow = 40;
/// But of so few columns a tile or two hold all.
inline constexpr Index kFewColumns = 8192;

/// Whether tiles are tried at all.
inline bool may_have_tiles(const MatrixShape& shape, Index elements) {
  return elements >= kLeastTiledElements &&
         (elements >= kLeastTiledRow * shape.rows || shape.columns <= kFewColumns);
}

/// What one element says beside its value, in 16 bits: a column within its tile, and how many rows
/// further down it stands than the element before it. A longer way is a jump, which has no value.
struct TileCode {
  int column_bits = 13;

  CISOLVE_HOST_DEVICE unsigned column(unsigned code) const { return code & longest_jump(); }
  CISOLVE_HOST_DEVICE bool is_jump(unsigned code) const { return code >> column_bits == jump(); }
  CISOLVE_HOST_DEVICE unsigned row_step(unsigned code) const {
    return is_jump(code) ? column(code) : code >> column_bits;
  }
  CISOLVE_HOST_DEVICE unsigned longest_jump() const { return (1U << column_bits) - 1; }
  CISOLVE_HOST_DEVICE unsigned jump() const { return (1U << (16 - column_bits)) - 1; }
  std::uint16_t of(Index row_step, Index column) const {
    return static_cast<std::uint16_t>(row_step << column_bits | column);
  }
};

/// Neighbouring columns in a tile.
struct TileRun {
  std::uint32_t first;
  std::uint16_t place;  // of the first in the tile
  std::uint16_t count;
};

/// What a warp reads at once: four elements for each lane, the values in two halves.
struct TileUnit {
  double values[2][kTileLanes][2];
  std::uint16_t codes[kTileLanes][kUnitWidth];

  CISOLVE_HOST_DEVICE double& value(int lane, Index k) { return values[k / 2][lane][k % 2]; }
  CISOLVE_HOST_DEVICE double value(int lane, Index k) const { return values[k / 2][lane][k % 2]; }
};

/// The same of coded elements: the 16 bits of a TileCode, and above them those of the value.
struct CodedUnit {
  std::uint32_t elements[kTileLanes][kUnitWidth];
};

/// The tiled format as a kernel sees it. The rows are divided into blocks of about equally many
/// elements. The columns that a block uses are packed into tiles; what the block has in the columns
/// of a tile is a cell. Its elements, row by row, are cut into runs of equal length, one for each
/// lane of each warp. A warp reads its runs side by side, four elements of each lane at a time (a
/// unit), and its units of all cells of a block follow one another. Cells too sparse to be worth a
/// tile leave their elements to a CSR tail.
struct TiledView {
  Index rows = 0;
  Index columns = 0;
  int vectors = 1;  // whose tiles fit into shared memory at once
  Index blocks = 0;
  Index cells = 0;
  Index tile_columns = 1;
  Index largest_block = 0;  // in rows
  TileCode code;
  const Column* block_rows = nullptr;  // where each block begins, and the end
  const Index* block_cells = nullptr;  // likewise, in cells
  const Index* warp_units = nullptr;   // [block][warp], likewise, in units
  const Index* cell_runs = nullptr;    // where the runs of columns of each cell begin, and the end
  const TileRun* runs = nullptr;
  const std::uint32_t* cell_units = nullptr;  // [cell][warp]
  const std::uint16_t* lane_rows = nullptr;   // [cell][warp][lane] where a run begins, in its block
  const TileUnit* units = nullptr;
  const CodedUnit* coded_units = nullptr;  // in place of these, where values are coded
  const double* magnitudes = nullptr;      // by number
  Index magnitude_count = 0;
  Index near_magnitudes = 0;  // the first ones, for which shared memory has room
  CsrView tail;

  bool is_coded() const { return magnitude_count > 0; }

  /// The column at a place of a cell's tile.
  CISOLVE_HOST_DEVICE Index column_at(Index cell, Index place) const {
    Index run = cell_runs[cell];
    for (Index end = cell_runs[cell + 1]; end - run > 1;) {
      const Index middle = (run + end) / 2;
      (runs[middle].place <= place ? run : end) = middle;
    }
    return runs[run].first + place - runs[run].place;
  }

  /// What the tail has on the diagonal.
  CISOLVE_HOST_DEVICE double tail_diagonal(Index row) const {
    double found = 0;
    tail.visit(row, 0, 1, [&](Index column, double value) {
      if (column == row) found = value;
    });
    return found;
  }

  /// Calls visit(row, column, value) for those elements of a block's cells that belong to one
  /// of `threads` threads; not in the order of the rows.
  template <class Visit>
  CISOLVE_HOST_DEVICE void visit_block(Index block, int thread, int threads, Visit&& visit) const {
    for (int number = thread; number < kTileWarps * kTileLanes; number += threads) {
      const int warp = number / kTileLanes;
      Index unit = warp_units[block * kTileWarps + warp];
      for (Index cell = block_cells[block]; cell < block_cells[block + 1]; ++cell) {
        const Index run = cell * kTileWarps + warp;
        visit_run(block, cell, unit, run, number % kTileLanes, visit);
        unit += cell_units[run];
      }
    }
  }

 private:
  template <class Visit>
  CISOLVE_HOST_DEVICE void visit_run(Index block, Index cell, Index first_unit, Index run, int lane,
                                     Visit&& visit) const {
    Index row = Index{block_rows[block]} + lane_rows[run * kTileLanes + lane];
    for (Index k = 0; k < kUnitWidth * Index{cell_units[run]}; ++k) {
      const Index unit = first_unit + k / kUnitWidth;
      const unsigned word = magnitude_count > 0
                                ? coded_units[unit].elements[lane][k % kUnitWidth] & 0xffffU
                                : units[unit].codes[lane][k % kUnitWidth];
      row += code.row_step(word);
      if (!code.is_jump(word))
        visit(row, column_at(cell, code.column(word)), value_at(unit, lane, k % kUnitWidth));
    }
  }

  CISOLVE_HOST_DEVICE double value_at(Index unit, int lane, Index k) const {
    if (magnitude_count == 0) return units[unit].value(lane, k);
    const unsigned value = coded_units[unit].elements[lane][k] >> 16U;
    const double magnitude = magnitudes[value & (kValueSign - 1)];
    return (value & kValueSign) != 0 ? -magnitude : magnitude;
  }
};

/// How the format is to be cut: for a processor with `blocks` places, at each of which one block of
/// rows is worked on, with room for two tiles of the vectors and the block's part of the result.
struct TileGeometry {
  int vectors = 1;  // at once
  Index blocks = 64;
  Index room = 28672;              // numbers of each vector
  Index largest_tile = 16384;      // in columns
  bool keep_sparse_cells = false;  // as cells, all the same; tiles are then as large as allowed
  Values values = Values::plain;
  std::vector<double> common_magnitudes = {};  // for coded values, where they are known
  Index near_magnitudes = 0;  // room for so many numbers is beside the tiles; values are coded then

  /// For products with options.vectors at once, at most 8.
  static TileGeometry of(const base::Backend& backend, const FormatOptions& options);
};

/// Elements in tiles of columns, whose part of x fits into the shared memory of a multiprocessor,
/// with two bytes of index an element. For large matrices on a device. Where few magnitudes make up
/// most values, an element may hold the number of its magnitude in two bytes more; the elements
/// that have another one are then the tail.
struct Tiled {
  using View = TiledView;
  static constexpr std::string_view name = "tiled";
  MatrixShape shape;
  Index elements;
  int vectors;
  Index tile_columns;
  Index largest_block;
  TileCode code;
  base::Array<Column> block_rows;
  base::Array<Index> block_cells;
  base::Array<Index> warp_units;
  base::Array<Index> cell_runs;
  base::Array<TileRun> runs;
  base::Array<std::uint32_t> cell_units;
  base::Array<std::uint16_t> lane_rows;
  base::Array<TileUnit> units;
  base::Array<CodedUnit> coded_units;  // in place of these, where values are coded
  base::Array<double> magnitudes;      // by number; none where values are plain
  Index near_magnitudes;
  Csr tail;

  Index nonzeros() const { return elements; }
  Values values() const { return magnitudes.size() > 0 ? Values::coded : Values::plain; }
  MemoryUse memory() const;
  TiledView view() const;
  Tiled to(const base::Backend& target) const;
  void write_components(std::ostream& out) const;
};

/// Nearly what the format would hold of plain values: how a cell is padded, and what goes to the
/// tail, is known only from its elements.
MemoryUse plan_tiled(const MatrixShape& shape, Index nonzeros, const TileGeometry& geometry);

/// The same of values as the geometry says, coded where a sample of the rows shows that it helps.
/// `lengths` are those of all rows.
MemoryUse plan_tiled(const RowSource& rows, std::span<const Column> lengths,
                     const TileGeometry& geometry, const base::Backend& host);

/// Asks the source for its rows twice, for the length of a cell in units is known only when all of
/// its elements are; and for some blocks more often, to find the best division into blocks.
Tiled build_tiled(const RowSource& rows, const TileGeometry& geometry, const base::Backend& host);

/// The same to the bit, laid out by a device in its memory from rows that it writes itself, some
/// blocks at a time where not all fit beside the tiles. `scratch_bytes` are for these rows, but the
/// largest block is laid out in any case; 0: by what is free.
Tiled build_tiled(const DeviceRows& rows, const TileGeometry& geometry, Index scratch_bytes = 0);

/// The same from rows that the device's host reads.
Tiled build_tiled_on_device(const RowSource& rows, const TileGeometry& geometry,
                            const base::Backend& device, Index scratch_bytes = 0);

}  // namespace cisolve::sparse

#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "base/array.hpp"
#include "base/host_device.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/formats/options.hpp"
#include "sparse/rows/device_rows.hpp"

namespace cisolve::sparse {

inline constexpr int kTileWarps = 16;  // sharing a block of rows
inline constexpr int kTileLanes = 32;
inline constexpr int kTileThreads = kTileWarps * kTileLanes;
inline constexpr int kUnitWidth = 4;  // elements per lane in a unit
inline constexpr Index kUnitElements = Index{kUnitWidth} * kTileLanes;
inline constexpr int kWidestTiles = 8;  // vectors at once

/// A coded value consists of the number of a magnitude and a sign bit.
inline constexpr int kValueSign = 1 << 15;
inline constexpr Index kMostMagnitudes = kValueSign;

/// Number of cells after which the carried sums of a block's warps are added; size of their list.
inline constexpr int kCarriedCells = 8;
inline constexpr int kTileCarries = kCarriedCells * kTileWarps;

/// A smaller matrix is stored as tail only: its product ends before tiles could pay.
inline constexpr Index kLeastTiledElements = 3'000'000;

/// A matrix with shorter mean rows is stored as tail only, too. Lattices with 16 to 27 elements per
/// row take longer in tiles than in CSR; one with 35 took two minutes to lay out.
inline constexpr Index kLeastTiledRow = 40;
/// Exception: one or two tiles hold all columns.
inline constexpr Index kFewColumns = 8192;

/// True if tiles are considered at all.
inline bool may_have_tiles(const MatrixShape& shape, Index elements) {
  return elements >= kLeastTiledElements &&
         (elements >= kLeastTiledRow * shape.rows || shape.columns <= kFewColumns);
}

/// A 16-bit code of an element besides its value: its column within the tile, and the number of
/// rows that it is below the preceding element. Longer steps are encoded as jumps, which have no
/// value.
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

/// Consecutive columns in a tile.
struct TileRun {
  std::uint32_t first;
  std::uint16_t place;  // position of `first` in the tile
  std::uint16_t count;
};

/// Elements that a warp reads at once: four per lane, the values in two halves.
struct TileUnit {
  double values[2][kTileLanes][2];
  std::uint16_t codes[kTileLanes][kUnitWidth];

  CISOLVE_HOST_DEVICE double& value(int lane, Index k) { return values[k / 2][lane][k % 2]; }
  CISOLVE_HOST_DEVICE double value(int lane, Index k) const { return values[k / 2][lane][k % 2]; }
};

/// A TileUnit of coded elements: the TileCode in the low 16 bits, the value's code above.
struct CodedUnit {
  std::uint32_t elements[kTileLanes][kUnitWidth];
};

/// The tiled format as a kernel sees it. The rows are divided into blocks of about equally many
/// elements. The columns that a block uses are packed into tiles; the elements of a block in a
/// tile's columns are a cell. They are cut, row by row, into runs of equal length, one for each
/// lane of each warp. A warp reads its runs side by side, four elements of each lane at a time (a
/// unit); its units of all cells of a block are contiguous. Cells too sparse to be worth a tile
/// leave their elements to a CSR tail.
struct TiledView {
  Index rows = 0;
  Index columns = 0;
  int vectors = 1;  // vectors whose tiles fit into shared memory at once
  Index blocks = 0;
  Index cells = 0;
  Index tile_columns = 1;
  Index largest_block = 0;  // rows of the largest block
  TileCode code;
  const Column* block_rows = nullptr;  // first row of each block, and the end
  const Index* block_cells = nullptr;  // first cell of each block, and the end
  const Index* warp_units = nullptr;   // [block][warp] first unit, and the end
  const Index* cell_runs = nullptr;    // first run of columns of each cell, and the end
  const TileRun* runs = nullptr;
  const std::uint32_t* cell_units = nullptr;  // [cell][warp] number of units
  const std::uint16_t* lane_rows =
      nullptr;  // [cell][warp][lane] row in the block at the run's begin
  const TileUnit* units = nullptr;
  const CodedUnit* coded_units = nullptr;  // instead, if values are coded
  const double* magnitudes = nullptr;      // indexed by number
  Index magnitude_count = 0;
  Index near_magnitudes = 0;  // number of the first ones, which are kept in shared memory
  CsrView tail;

  bool is_coded() const { return magnitude_count > 0; }

  /// The column at a position of a cell's tile.
  CISOLVE_HOST_DEVICE Index column_at(Index cell, Index place) const {
    Index run = cell_runs[cell];
    for (Index end = cell_runs[cell + 1]; end - run > 1;) {
      const Index middle = (run + end) / 2;
      (runs[middle].place <= place ? run : end) = middle;
    }
    return runs[run].first + place - runs[run].place;
  }

  /// The diagonal element of the tail.
  CISOLVE_HOST_DEVICE double tail_diagonal(Index row) const {
    double found = 0;
    tail.visit(row, 0, 1, [&](Index column, double value) {
      if (column == row) found = value;
    });
    return found;
  }

  /// Calls visit(row, column, value) for the elements of a block's cells assigned to `thread` of
  /// `threads` threads, not in the order of rows.
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

/// Parameters of the division, for a processor that works on `blocks` blocks of rows at once, each
/// with shared memory for two tiles of the vectors and the block's part of the result.
struct TileGeometry {
  int vectors = 1;  // vectors that one product takes
  Index blocks = 64;
  Index shared_capacity = 28672;   // doubles per vector in shared memory
  Index largest_tile = 16384;      // most columns of a tile
  bool keep_sparse_cells = false;  // keeps every cell, and tiles as large as allowed
  ValueEncoding values = ValueEncoding::plain;
  std::vector<double> common_magnitudes = {};  // known magnitudes for coded values; may be empty
  Index near_magnitudes =
      0;  // kept in shared memory with the tiles; non-zero only if values are coded

  /// The geometry for products with options.vectors vectors at once, at most 8.
  static TileGeometry of(const base::Backend& backend, const FormatOptions& options);
};

/// Elements in tiles of columns, whose part of x fits into the shared memory of a multiprocessor,
/// with two index bytes per element; for large matrices on a device. If few magnitudes make up most
/// values, an element can store the two-byte number of its magnitude instead of its value; elements
/// with other magnitudes form the tail.
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
  base::Array<CodedUnit> coded_units;  // instead, if values are coded
  base::Array<double> magnitudes;      // indexed by number; empty if values are plain
  Index near_magnitudes;
  Csr tail;

  Index nonzeros() const { return elements; }
  ValueEncoding values() const {
    return magnitudes.size() > 0 ? ValueEncoding::coded : ValueEncoding::plain;
  }
  MemoryUse memory() const;
  TiledView view() const;
  Tiled to(const base::Backend& target) const;
  void write_components(std::ostream& out) const;
};

/// Estimated memory with plain values: padding and the tail depend on the elements.
MemoryUse plan_tiled(const MatrixShape& shape, Index nonzeros, const TileGeometry& geometry);

/// Estimated memory with the geometry's values: coded if a sample of the rows shows that it saves
/// memory. `lengths` are the row lengths.
MemoryUse plan_tiled(const RowSource& rows, std::span<const Column> lengths,
                     const TileGeometry& geometry, const base::Backend& host);

/// Reads the source's rows twice, since the length of a cell in units depends on all its elements;
/// and some blocks more often, to find the best division into blocks.
Tiled build_tiled(const RowSource& rows, const TileGeometry& geometry, const base::Backend& host);

/// Builds a bitwise identical matrix on a device from rows that it generates, some blocks at a time
/// if memory is short. `scratch_bytes` bounds the memory of these rows (0: by free memory); the
/// largest block is laid out in any case.
Tiled build_tiled(const DeviceRows& rows, const TileGeometry& geometry, Index scratch_bytes = 0);

/// Builds on a device from rows that the device's host reads.
Tiled build_tiled_on_device(const RowSource& rows, const TileGeometry& geometry,
                            const base::Backend& device, Index scratch_bytes = 0);

}  // namespace cisolve::sparse

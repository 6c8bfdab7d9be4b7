#include "sparse/tiled/magnitude_codes.hpp"
#include "sparse/tiled/tiled_plan.hpp"

// Array layout of the tiled format.
namespace cisolve::sparse {
namespace {

/// First cells of blocks, first units of warps and first runs of cells, with the ends.
struct CellPlaces {
  std::vector<Column> block_rows;
  std::vector<Index> block_cells;
  std::vector<Index> warp_units;
  std::vector<Index> cell_runs{0};

  void append(Index first_row, const BlockPlan& plan) {
    Index next = end_;
    block_rows.push_back(static_cast<Column>(first_row));
    block_cells.push_back(std::ssize(cell_runs) - 1);
    for (const Cell& cell : plan.cells)
      if (cell.kept) cell_runs.push_back(cell_runs.back() + cell.runs);
    for (int warp = 0; warp < kTileWarps; ++warp) {
      warp_units.push_back(next);
      for (const Cell& cell : plan.cells)
        if (cell.kept) next += cell.warp_units(warp);
    }
    end_ = next;
  }

  void finish(Index rows) {
    block_rows.push_back(static_cast<Column>(rows));
    block_cells.push_back(std::ssize(cell_runs) - 1);
    warp_units.push_back(end_);
  }

 private:
  Index end_ = 0;
};

}  // namespace

Tiled allocate_tiles(const MatrixShape& shape, Index elements, const TileGeometry& geometry,
                     const Division& division, const std::vector<BlockPlan>& plans, Csr tail,
                     std::span<const double> magnitudes) {
  const base::Backend where = tail.values.backend();
  CellPlaces places;
  Index largest = 0;
  for (std::size_t block = 0; block < plans.size(); ++block) {
    places.append(division.begins[block], plans[block]);
    largest = std::max(largest, division.begins[block + 1] - division.begins[block]);
  }
  places.finish(shape.rows);
  const Index units = places.warp_units.back();
  const bool coded = !magnitudes.empty();
  const Index runs = places.block_cells.back() * kTileWarps;
  return {shape,
          elements,
          geometry.vectors,
          division.tile_columns,
          largest,
          division.code,
          base::Array<Column>::copy_of(places.block_rows, where, "the rows of the blocks"),
          base::Array<Index>::copy_of(places.block_cells, where, "the cells of the blocks"),
          base::Array<Index>::copy_of(places.warp_units, where, "the elements of the warps"),
          base::Array<Index>::copy_of(places.cell_runs, where, "the columns of the cells"),
          base::Array<TileRun>(where, places.cell_runs.back(), "the columns of the tiles"),
          base::Array<std::uint32_t>(where, runs, "the lengths of the cells"),
          base::Array<std::uint16_t>(where, runs * kTileLanes, "the rows of the lanes"),
          base::Array<TileUnit>(where, coded ? 0 : units, "the elements of the tiles"),
          base::Array<CodedUnit>(where, coded ? units : 0, "the elements of the tiles"),
          base::Array<double>::copy_of(magnitudes, where, "the magnitudes of coded values"),
          geometry.near_magnitudes,
          std::move(tail)};
}

PlacedElement element_at(const Tiled& matrix, Index unit, int lane, Index k) {
  if (matrix.values() == ValueEncoding::plain)
    return {matrix.units[unit].codes[lane][k], matrix.units[unit].value(lane, k)};
  const std::uint32_t element = matrix.coded_units[unit].elements[lane][k];
  return {static_cast<std::uint16_t>(element & 0xffffU), code_as_value(element >> 16U)};
}

void put_element(Tiled& matrix, Index unit, int lane, Index k, const PlacedElement& element) {
  if (matrix.values() == ValueEncoding::coded) {
    matrix.coded_units[unit].elements[lane][k] = element.code | value_as_code(element.value) << 16U;
    return;
  }
  matrix.units[unit].codes[lane][k] = element.code;
  matrix.units[unit].value(lane, k) = element.value;
}

}  // namespace cisolve::sparse

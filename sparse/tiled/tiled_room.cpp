#include "sparse/tiled/tiled_plan.hpp"

// What lies where in the tiled format.
namespace cisolve::sparse {
namespace {

/// Where the cells of the blocks and the units of their warps begin, and the ends.
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

Tiled make_room(const MatrixShape& shape, Index elements, int vectors, const Division& division,
                const std::vector<BlockPlan>& plans, Csr tail) {
  const base::Backend where = tail.values.backend();
  CellPlaces places;
  Index largest = 0;
  for (std::size_t block = 0; block < plans.size(); ++block) {
    places.append(division.begins[block], plans[block]);
    largest = std::max(largest, division.begins[block + 1] - division.begins[block]);
  }
  places.finish(shape.rows);
  const Index runs = places.block_cells.back() * kTileWarps;
  return {shape,
          elements,
          vectors,
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
          base::Array<TileUnit>(where, places.warp_units.back(), "the elements of the tiles"),
          std::move(tail)};
}

}  // namespace cisolve::sparse

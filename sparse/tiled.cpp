#include "sparse/tiled.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "sparse/components.hpp"
#include "sparse/formulas.hpp"

namespace cisolve::sparse {
namespace {

int widest_power(int vectors) {
  int width = 1;
  while (2 * width <= vectors && width < kWidestTiles) width *= 2;
  return width;
}

}  // namespace

TileGeometry TileGeometry::of(const base::Backend& backend, const FormatOptions& options) {
  TileGeometry geometry;
  Index shared = Index{227} * 1024;
  if (!backend.is_host()) {
    const base::cuda::DeviceInfo device = base::cuda::describe(backend.device());
    geometry.blocks = device.multiprocessors;
    shared = device.shared_bytes;
  }
  const int width = widest_power(options.vectors);
  constexpr Index kHandedOn = Index{kTileWarps} * (kTileLanes + 2);  // sums of lanes and of warps
  geometry.vectors = width;
  geometry.room = shared / (width * Index{sizeof(double)}) - kHandedOn;
  geometry.largest_tile = geometry.room / 7 * 4 / 32 * 32;
  if (options.block_size == kAutomatic) return geometry;
  const Index most = geometry.room / 4;
  if (options.block_size < 1 || options.block_size > most)
    base::fail(base::Fault::configuration, "block_size is ", options.block_size,
               "; expected auto or 1 to ", most, " columns of a tile for products with ", width,
               " vectors");
  geometry.largest_tile = options.block_size;
  geometry.keep_sparse_cells = true;
  return geometry;
}

MemoryUse Tiled::memory() const {
  const Index held = block_rows.bytes() + block_cells.bytes() + warp_units.bytes() +
                     cell_tile.bytes() + cell_units.bytes() + lane_rows.bytes() + codes.bytes() +
                     values.bytes();
  const MemoryUse rest = tail.memory();
  return {tiled_bytes(values.size(), cell_tile.size(), block_rows.size() - 1) + rest.by_formula,
          held + rest.held, values.size() + tail.nonzeros() - elements};
}

TiledView Tiled::view() const {
  return {shape.rows,        shape.columns,      vectors,           block_rows.size() - 1,
          cell_tile.size(),  tile_columns,       largest_block,     code,
          block_rows.data(), block_cells.data(), warp_units.data(), cell_tile.data(),
          cell_units.data(), lane_rows.data(),   codes.data(),      values.data(),
          tail.view()};
}

Tiled Tiled::to(const base::Backend& target) const {
  return {shape,
          elements,
          vectors,
          tile_columns,
          largest_block,
          code,
          block_rows.to(target),
          block_cells.to(target),
          warp_units.to(target),
          cell_tile.to(target),
          cell_units.to(target),
          lane_rows.to(target),
          codes.to(target),
          values.to(target),
          tail.to(target)};
}

void Tiled::write_components(std::ostream& out) const {
  const Tiled here = to(values.backend().host());
  write_list(out, "BlockRow", here.block_rows.span());
  write_list(out, "BlockCell", here.block_cells.span());
  write_list(out, "CellTile", here.cell_tile.span());
  write_list(out, "CellUnits", here.cell_units.span());
  write_list(out, "LaneRow", here.lane_rows.span());
  write_list(out, "Code", here.codes.span());
  write_list(out, "Value", here.values.span());
  out << "Tail:\n";
  here.tail.write_components(out);
}

}  // namespace cisolve::sparse

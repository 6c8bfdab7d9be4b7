#include "sparse/tiled/tiled.hpp"

#include <algorithm>
#include <vector>

#include "base/device.hpp"
#include "base/error.hpp"
#include "sparse/formats/components.hpp"
#include "sparse/formats/formulas.hpp"

namespace cisolve::sparse {
namespace {

int widest_power(int vectors) {
  int width = 1;
  while (2 * width <= vectors && width < kWidestTiles) width *= 2;
  return width;
}

void write_runs(std::ostream& out, std::span<const TileRun> runs) {
  std::vector<std::uint32_t> firsts;
  std::vector<std::uint16_t> counts;
  for (const TileRun& run : runs) {
    firsts.push_back(run.first);
    counts.push_back(run.count);
  }
  write_list(out, "RunColumn", std::span<const std::uint32_t>(firsts));
  write_list(out, "RunColumns", std::span<const std::uint16_t>(counts));
}

void write_units(std::ostream& out, std::span<const TileUnit> units) {
  std::vector<std::uint16_t> codes;
  std::vector<double> values;
  for (const TileUnit& unit : units)
    for (int lane = 0; lane < kTileLanes; ++lane)
      for (int k = 0; k < kUnitWidth; ++k) {
        codes.push_back(unit.codes[lane][k]);
        values.push_back(unit.value(lane, k));
      }
  write_list(out, "Code", std::span<const std::uint16_t>(codes));
  write_list(out, "Value", std::span<const double>(values));
}

void write_coded_units(std::ostream& out, std::span<const CodedUnit> units,
                       std::span<const double> magnitudes) {
  std::vector<std::uint16_t> codes;
  std::vector<std::uint16_t> values;
  for (const CodedUnit& unit : units)
    for (const auto& lane : unit.elements)
      for (const std::uint32_t element : lane) {
        codes.push_back(static_cast<std::uint16_t>(element & 0xffffU));
        values.push_back(static_cast<std::uint16_t>(element >> 16U));
      }
  write_list(out, "Code", std::span<const std::uint16_t>(codes));
  write_list(out, "ValueCode", std::span<const std::uint16_t>(values));
  write_list(out, "Magnitude", magnitudes);
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
  constexpr Index kHandedOn =
      Index{kTileThreads} + Index{2} * kTileCarries;  // sums and rows that are carried
  geometry.vectors = width;
  geometry.values = options.values;
  geometry.common_magnitudes = options.magnitudes;
  geometry.shared_capacity = shared / (width * Index{sizeof(double)}) - kHandedOn;
  geometry.largest_tile = geometry.shared_capacity / 7 * 4 / 32 * 32;
  if (options.block_size == kAutomatic) return geometry;
  const Index most = geometry.shared_capacity / 4;
  if (options.block_size < 2 || options.block_size > most || options.block_size % 2 == 1)
    base::fail(base::ErrorKind::configuration, "block_size is ", options.block_size,
               "; expected auto or an even number from 2 to ", most,
               " columns of a tile for products with ", width, " vectors");
  geometry.largest_tile = options.block_size;
  geometry.keep_sparse_cells = true;
  return geometry;
}

MemoryUse Tiled::memory() const {
  const Index held = block_rows.bytes() + block_cells.bytes() + warp_units.bytes() +
                     cell_runs.bytes() + runs.bytes() + cell_units.bytes() + lane_rows.bytes() +
                     units.bytes() + coded_units.bytes() + magnitudes.bytes();
  const MemoryUse rest = tail.memory();
  const Index cells = cell_runs.size() - 1;
  const Index blocks = block_rows.size() - 1;
  const Index stored = kUnitElements * (units.size() + coded_units.size());
  const Index tiles =
      values() == ValueEncoding::plain
          ? tiled_bytes(stored, cells, runs.size(), blocks)
          : coded_tiled_bytes(stored, cells, runs.size(), blocks, magnitudes.size());
  return {tiles + rest.by_formula, held + rest.held, stored + tail.nonzeros() - elements};
}

TiledView Tiled::view() const {
  return {shape.rows,           shape.columns,      vectors,           block_rows.size() - 1,
          cell_runs.size() - 1, tile_columns,       largest_block,     code,
          block_rows.data(),    block_cells.data(), warp_units.data(), cell_runs.data(),
          runs.data(),          cell_units.data(),  lane_rows.data(),  units.data(),
          coded_units.data(),   magnitudes.data(),  magnitudes.size(), near_magnitudes,
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
          cell_runs.to(target),
          runs.to(target),
          cell_units.to(target),
          lane_rows.to(target),
          units.to(target),
          coded_units.to(target),
          magnitudes.to(target),
          near_magnitudes,
          tail.to(target)};
}

void Tiled::write_components(std::ostream& out) const {
  const Tiled on_host = to(units.backend().host());
  write_list(out, "BlockRow", on_host.block_rows.span());
  write_list(out, "BlockCell", on_host.block_cells.span());
  write_list(out, "CellRun", on_host.cell_runs.span());
  write_runs(out, on_host.runs.span());
  write_list(out, "CellUnits", on_host.cell_units.span());
  write_list(out, "LaneRow", on_host.lane_rows.span());
  if (values() == ValueEncoding::plain)
    write_units(out, on_host.units.span());
  else
    write_coded_units(out, on_host.coded_units.span(), on_host.magnitudes.span());
  out << "Tail:\n";
  on_host.tail.write_components(out);
}

}  // namespace cisolve::sparse

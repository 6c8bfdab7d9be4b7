#include "sparse/rows/build.hpp"
#include "sparse/rows/device_offsets.hpp"
#include "sparse/tiled/cuda/tile_builder.cuh"

// Tiles as a device lays them out. What is decided on the way, the host decides by the functions
// with which it plans its own; the device counts and writes.
namespace cisolve::sparse {
namespace cuda {
namespace {

/// What may be taken beside the tiles: for rows that are laid out together, and for tables.
struct Scratch {
  Index elements;
  Index table_bytes;

  static Scratch of(Index bytes, Index elements, const MemoryUse& tiles,
                    const base::Backend& device) {
    constexpr Index kElement = sizeof(double) + sizeof(Column);
    if (bytes > 0) return {bytes / kElement, bytes};
    constexpr Index kMuch = Index{8} << 30;
    const Index spare = std::max<Index>(0, device.memory().left() - tiles.held);
    const bool all = elements * kElement <= spare / 2;
    return {all ? elements : std::min(spare / 4, kMuch) / kElement, std::min(spare, kMuch) / 8};
  }
};

Index left_to_tail(const std::vector<BlockPlan>& plans) {
  Index elements = 0;
  for (const BlockPlan& plan : plans)
    for (const Cell& cell : plan.cells)
      if (!cell.kept) elements += cell.elements;
  return elements;
}

/// Of a matrix that is not divided.
Tiled all_tail(const TileGeometry& geometry, Csr tail) {
  const MatrixShape shape = tail.shape;
  const Index elements = tail.nonzeros();
  return make_room(shape, elements, geometry.vectors, undivided(shape), std::vector<BlockPlan>(1),
                   std::move(tail));
}

/// `all_tail` gives the matrix as CSR on the device, where tiles are not worthwhile.
template <class AllTail>
Tiled build(const RowFeed& feed, const MatrixShape& shape, std::span<const Index> offsets,
            base::Array<Index> device_offsets, const TileGeometry& geometry, Index scratch_bytes,
            AllTail&& all_tail) {
  const base::Backend device = device_offsets.backend();
  const Index elements = offsets.back();
  const Scratch scratch =
      Scratch::of(scratch_bytes, elements, plan_tiled(shape, elements, geometry), device);
  RowWindow window(feed, offsets, std::move(device_offsets), scratch.elements);
  TileBuilder builder(window, shape, geometry, scratch.table_bytes, device);
  const BlockPlanner plan = [&](const Division& division, std::span<const Index> numbers) {
    return builder.plan(division, numbers);
  };
  const Division division = divide(shape, offsets, geometry, plan);
  const std::vector<BlockPlan> plans = plan_all(division, shape.rows, geometry, plan);
  const bool tiles = division.worthwhile || geometry.keep_sparse_cells;
  Tiled matrix = make_room(shape, elements, geometry.vectors, division, plans,
                           tiles ? allocate_csr(shape, left_to_tail(plans), device) : all_tail());
  if (tiles) builder.lay_out_all(division, plans, matrix);
  device.synchronize();
  if (tiles && matrix.tail.nonzeros() > 0)
    matrix.tail.shares = share_out(matrix.tail.offsets.to(device.host()).span(), device);
  return matrix;
}

}  // namespace
}  // namespace cuda

Tiled build_tiled(const DeviceRows& rows, const TileGeometry& geometry, Index scratch_bytes) {
  const MatrixShape shape = rows.shape();
  require_storable(shape);
  base::Array<Index> offsets =
      offsets_on_device(rows.lengths(shape.columns), "the offsets of the rows");
  if (is_undivided(shape, last_of(offsets), geometry))
    return cuda::all_tail(geometry, build_csr(rows, std::move(offsets)));
  const base::Array<Index> on_host = offsets.to(rows.device().host());
  return cuda::build(cuda::DeviceFeed(rows), shape, on_host.span(), std::move(offsets), geometry,
                     scratch_bytes, [&] { return build_csr(rows); });
}

Tiled build_tiled_on_device(const RowSource& rows, const TileGeometry& geometry,
                            const base::Backend& device, Index scratch_bytes) {
  const base::Backend host = device.host();
  const base::Array<Index> offsets =
      offsets_from(row_lengths(rows, host).span(), host, "the offsets of the rows");
  return cuda::build(cuda::HostFeed(rows, offsets.span(), device), rows.shape(), offsets.span(),
                     offsets.to(device), geometry, scratch_bytes,
                     [&] { return build_csr(rows, host).to(device); });
}

}  // namespace cisolve::sparse

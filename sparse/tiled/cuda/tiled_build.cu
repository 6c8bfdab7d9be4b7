#include "base/offsets.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/rows/device_offsets.hpp"
#include "sparse/tiled/cuda/coded_feed.cuh"
#include "sparse/tiled/cuda/tile_builder.cuh"

// Builds tiles on a device. The host chooses the division, as for a build on the host; the device
// counts and writes elements.
namespace cisolve::sparse {
namespace cuda {
namespace {

/// Memory available besides the tiles: for the elements of rows that are laid out together, and for
/// tables.
struct Scratch {
  Index elements;
  Index table_bytes;

  /// Elements of the buffer in which rows are split into coded elements and others: a small
  /// fraction.
  Index split_buffer_elements() const {
    constexpr Index kLeast = 1 << 12;
    constexpr Index kMost = Index{1} << 26;
    return std::clamp(elements / 8, kLeast, kMost);
  }

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

/// A matrix without tiles: all elements are in the CSR tail.
Tiled undivided_tiled(const TileGeometry& geometry, Csr tail) {
  const MatrixShape shape = tail.shape;
  const Index elements = tail.nonzeros();
  return allocate_tiles(shape, elements, geometry, undivided(shape), std::vector<BlockPlan>(1),
                        std::move(tail));
}

/// The rows of a matrix, by their offsets, and the source that supplies them.
struct RowsOnDemand {
  const RowFeed& feed;
  MatrixShape shape;
  std::span<const Index> offsets;
  base::Array<Index> device_offsets;

  base::Backend device() const { return device_offsets.backend(); }
};

std::vector<double> values_of(const RowsOnDemand& rows, const SampledRange& some) {
  const base::Backend device = rows.device();
  const Index count = some.last - some.first;
  const Index size = rows.offsets[some.last] - rows.offsets[some.first];
  base::Array<Index> offsets(device, count + 1, "the offsets of a sample of rows");
  base::Array<Column> columns(device, size, "the columns of a sample of rows");
  base::Array<double> values(device, size, "the values of a sample of rows");
  shift_offsets<<<64, 256, 0, device.device().stream()>>>(rows.device_offsets.data() + some.first,
                                                          count, 0, offsets.data());
  base::cuda::check_launch("shift_offsets");
  rows.feed.write(some.first, some.last, offsets.data(), 0, columns.data(), values.data());
  const base::Array<double> here = values.to(device.host());
  return {here.span().begin(), here.span().end()};
}

/// Builds tiles of the coded elements and a tail of the others.
Tiled build_coded(RowsOnDemand rows, const MagnitudeCodes& codes, const TileGeometry& geometry,
                  Index scratch_bytes) {
  const base::Backend device = rows.device();
  const Index elements = rows.offsets.back();
  const Index magnitudes = std::ssize(codes.magnitudes);
  const auto guess = static_cast<Index>(codes.share * static_cast<double>(elements));
  const Scratch scratch = Scratch::of(
      scratch_bytes, elements,
      plan_coded_tiles(rows.shape, guess, elements - guess, magnitudes, geometry), device);
  const ValueNumbers numbers(codes.magnitudes, device);
  CodedFeed feed(rows.feed, rows.offsets, rows.device_offsets, numbers.coder(),
                 scratch.split_buffer_elements());
  base::Array<Column> coded(device, rows.shape.rows, "the numbers of coded elements");
  base::Array<Column> others(device, rows.shape.rows, "the numbers of other elements");
  feed.count(coded.data(), others.data());
  base::Array<Index> coded_offsets = offsets_on_device(coded, "the offsets of coded elements");
  base::Array<Index> other_offsets = offsets_on_device(others, "the offsets of the rows");
  Csr tail = allocate_csr(rows.shape, last_of(other_offsets), device);
  tail.offsets = std::move(other_offsets);
  feed.write_others_to(tail);
  const base::Array<Index> offsets = coded_offsets.to(device.host());
  RowWindow window(feed, offsets.span(), std::move(coded_offsets), scratch.elements);
  TileBuilder builder(window, rows.shape, geometry, scratch.table_bytes, device);
  const BlockPlanner plan = [&](const Division& division, std::span<const Index> blocks) {
    return builder.plan(division, blocks);
  };
  const Division division = divide(rows.shape, offsets.span(), geometry, plan);
  const std::vector<BlockPlan> plans = plan_all(division, rows.shape.rows, geometry, plan);
  Tiled matrix = allocate_tiles(rows.shape, elements, geometry, division, plans, std::move(tail),
                                codes.magnitudes);
  feed.write_others_to(matrix.tail);
  builder.lay_out_all(division, plans, matrix);
  device.synchronize();
  if (matrix.tail.nonzeros() > 0)
    matrix.tail.segments = cut_into_segments(matrix.tail.offsets.to(device.host()).span(), device);
  return matrix;
}

/// `build_whole_csr` returns the matrix as CSR on the device, for the case that tiles do not pay.
template <class BuildWholeCsr>
Tiled build(RowsOnDemand rows, const TileGeometry& geometry, Index scratch_bytes,
            BuildWholeCsr&& build_whole_csr) {
  const auto& [feed, shape, offsets, device_offsets] = rows;
  const base::Backend device = rows.device();
  const auto codes = codes_for(shape, offsets, geometry,
                               [&](const SampledRange& some) { return values_of(rows, some); });
  if (codes)
    return build_coded(std::move(rows), *codes,
                       reserve_for_magnitudes(geometry, std::ssize(codes->magnitudes)),
                       scratch_bytes);
  const Index elements = offsets.back();
  const Scratch scratch =
      Scratch::of(scratch_bytes, elements, plan_tiled(shape, elements, geometry), device);
  RowWindow window(feed, offsets, std::move(rows.device_offsets), scratch.elements);
  TileBuilder builder(window, shape, geometry, scratch.table_bytes, device);
  const BlockPlanner plan = [&](const Division& division, std::span<const Index> numbers) {
    return builder.plan(division, numbers);
  };
  const Division division = divide(shape, offsets, geometry, plan);
  const std::vector<BlockPlan> plans = plan_all(division, shape.rows, geometry, plan);
  const bool tiles = division.worthwhile || geometry.keep_sparse_cells;
  Tiled matrix =
      allocate_tiles(shape, elements, geometry, division, plans,
                     tiles ? allocate_csr(shape, left_to_tail(plans), device) : build_whole_csr());
  if (tiles) builder.lay_out_all(division, plans, matrix);
  device.synchronize();
  if (tiles && matrix.tail.nonzeros() > 0)
    matrix.tail.segments = cut_into_segments(matrix.tail.offsets.to(device.host()).span(), device);
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
    return cuda::undivided_tiled(geometry, build_csr(rows, std::move(offsets)));
  const base::Array<Index> on_host = offsets.to(rows.device().host());
  const cuda::DeviceFeed feed(rows);
  return cuda::build({feed, shape, on_host.span(), std::move(offsets)}, geometry, scratch_bytes,
                     [&] { return build_csr(rows); });
}

Tiled build_tiled_on_device(const RowSource& rows, const TileGeometry& geometry,
                            const base::Backend& device, Index scratch_bytes) {
  const base::Backend host = device.host();
  const base::Array<Index> offsets =
      base::offsets_from(row_lengths(rows, host).span(), host, "the offsets of the rows");
  const cuda::HostFeed feed(rows, offsets.span(), device);
  return cuda::build({feed, rows.shape(), offsets.span(), offsets.to(device)}, geometry,
                     scratch_bytes, [&] { return build_csr(rows, host).to(device); });
}

}  // namespace cisolve::sparse

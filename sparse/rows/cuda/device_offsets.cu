#include "sparse/rows/device_offsets.hpp"

#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "base/cuda/elements.cuh"
#include "base/fill.hpp"

namespace cisolve::sparse {
namespace {

using base::cuda::all_threads;
using base::cuda::first_of_thread;
using base::cuda::grid_for;
using base::cuda::kElementThreads;

/// Maps a row length to the positions of `height` rows of that length.
struct Stored {
  Index height;
  __host__ __device__ Index operator()(Column length) const { return height * length; }
};

struct Sum {
  __host__ __device__ Index operator()(Index a, Index b) const { return a + b; }
};

/// Calls a CUB function twice: to query the scratch memory, then to run.
template <class Function>
void run(const base::Backend& device, const char* what, Function&& function) {
  std::size_t bytes = 0;
  base::cuda::check(function(nullptr, bytes), what);
  base::Array<std::uint8_t> scratch(device, std::max<Index>(1, static_cast<Index>(bytes)),
                                    "a sum over rows");
  base::cuda::check(function(scratch.data(), bytes), what);
}

/// Writes `before` followed by the inclusive sums of height * length.
void add_up(const base::Backend& device, const Column* lengths, Index count, Index height,
            Index before, Index* sums) {
  base::copy_bytes(device.host(), &before, device, sums, sizeof before);
  const auto stored = thrust::make_transform_iterator(lengths, Stored{height});
  run(device, "cub::DeviceScan", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScanInit(scratch, bytes, stored, sums + 1, Sum{}, before,
                                              count, device.device().stream());
  });
}

base::Array<Index> running_sum(const base::Array<Column>& lengths, Index height,
                               std::string_view what) {
  base::Array<Index> sums(lengths.backend(), lengths.size() + 1, what);
  add_up(lengths.backend(), lengths.data(), lengths.size(), height, 0, sums.data());
  return sums;
}

__global__ void find_widths(const Column* lengths, Index rows, Index height, Column* widths) {
  for (Index row = first_of_thread(); row < rows; row += all_threads()) {
    Column* width = widths + row / height;
    if (__ldcg(width) < lengths[row]) atomicMax(width, lengths[row]);  // skips most atomics
  }
}

__global__ void place_rows(const Index* slice_offsets, Index height, Index rows, Index* places) {
  for (Index row = first_of_thread(); row < rows; row += all_threads())
    places[row] = slice_offsets[row / height] + row % height;
}

}  // namespace

base::Array<Index> offsets_on_device(const base::Array<Column>& lengths, std::string_view what) {
  return running_sum(lengths, 1, what);
}

void accumulate_offsets_on_device(const base::Backend& device, const Column* lengths, Index count,
                                  Index before, Index* offsets) {
  add_up(device, lengths, count, 1, before, offsets);
}

Index total_on_device(const base::Array<Column>& lengths) {
  const base::Backend& device = lengths.backend();
  base::Array<Index> sum(device, 1, "the number of elements");
  const auto wide = thrust::make_transform_iterator(lengths.data(), Stored{1});
  run(device, "cub::DeviceReduce", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, wide, sum.data(), lengths.size(),
                                  device.device().stream());
  });
  return last_of(sum);
}

base::Array<Index> slice_offsets_on_device(const base::Array<Column>& lengths, Index height,
                                           std::string_view what) {
  const base::Backend& device = lengths.backend();
  const Index rows = lengths.size();
  base::Array<Column> widths(device, (rows + height - 1) / height, "the widths of slices");
  base::fill_bytes(widths, 0);
  find_widths<<<grid_for(rows), kElementThreads, 0, device.device().stream()>>>(
      lengths.data(), rows, height, widths.data());
  base::cuda::check_launch("find_widths");
  return running_sum(widths, height, what);
}

base::Array<Index> rows_of_slices(const base::Array<Index>& slice_offsets, Index height, Index rows,
                                  std::string_view what) {
  const base::Backend& device = slice_offsets.backend();
  base::Array<Index> places(device, rows, what);
  place_rows<<<grid_for(rows), kElementThreads, 0, device.device().stream()>>>(
      slice_offsets.data(), height, rows, places.data());
  base::cuda::check_launch("place_rows");
  return places;
}

}  // namespace cisolve::sparse

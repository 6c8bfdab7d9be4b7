#pragma once

#include "sparse/stored/cuda/segment_kernels.cuh"

// Launch of the product by segments: all segments, then the sums of long rows' parts.
namespace cisolve::sparse::cuda {

/// One warp adds up the parts of a long row.
template <int Width>
__global__ void __launch_bounds__(kRowThreads)
    sum_parts(const RowProduct<CsrView> p, const double* parts) {
  const Index number = (Index{blockIdx.x} * kRowThreads + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  if (number >= p.a.segments.long_rows) return;
  const LongRow row = p.a.segments.long_row[number];
  const Index end = p.a.segments.long_row[number + 1].first_part;
  double sums[Width] = {};
  for (Index part = row.first_part + lane; part < end; part += 32)
#pragma unroll
    for (int j = 0; j < Width; ++j) sums[j] += parts[part * Width + j];
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    for (int distance = 16; distance > 0; distance /= 2)
      add_to(sums[j], shuffle_down(sums[j], distance, 32));
    if (lane == 0) write_result(p.alpha, sums[j], p.beta, p.y(row.row, j));
  }
}

/// Launched concurrently with the segments by programmatic dependent launch, if the device can.
template <int Width>
void launch_sum_parts(const RowProduct<CsrView>& product, const double* parts, int capability,
                      cudaStream_t stream) {
  constexpr Index kWarps = kRowThreads / 32;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>((product.a.segments.long_rows + kWarps - 1) / kWarps);
  launch.blockDim = kRowThreads;
  launch.stream = stream;
  launch.attrs = &early;
  launch.numAttrs = capability >= 9 ? 1 : 0;
  base::cuda::check(cudaLaunchKernelEx(&launch, sum_parts<Width>, product, parts), "sum_parts");
}

/// `parts` holds Width values per part.
template <int Width>
void launch_segment_product(const RowProduct<CsrView>& product, double* parts,
                            const base::cuda::Context& device) {
  const SegmentView& segments = product.a.segments;
  const cudaStream_t stream = device.stream();
  segment_product<Width>
      <<<static_cast<unsigned>(segments.count), kSegmentThreads, 0, stream>>>(product, parts);
  base::cuda::check_launch("segment_product");
  if (segments.long_rows > 0) launch_sum_parts<Width>(product, parts, device.info().major, stream);
}

}  // namespace cisolve::sparse::cuda

#pragma once

#include <algorithm>

#include "sparse/diagonal/cuda/stage_producer.cuh"

// C = A B + beta C for many pairs per output. Persistent blocks take blocks of outputs in turn, 128
// rows each, stage by stage: one producer warp loads stages into shared memory, the others
// multiply, synchronised by the stage buffers alone. Positions outside the matrices hold zeros, so
// no bounds are checked. Every element of C is written once, with a fixed order of summation.
namespace cisolve::sparse::cuda {

constexpr int kStagedThreads = 32 * (StagedPairs::kWarps + 1);
constexpr int kStagedBytes = 2 * StagedPairs::kValues * static_cast<int>(sizeof(double)) +
                             2 * static_cast<int>(sizeof(StageBuffer));
constexpr int kRowsOfThread = StagedPairs::kRows / 32;

struct StagedSums {
  double of[StagedPairs::kOutputs][kRowsOfThread];

  /// Processes the list for outputs from K on; `work` is its current entry.
  template <int K>
  __device__ __forceinline__ void add_from(const char* of_lane, const uint2*& list, uint2& work) {
    if constexpr (K < StagedPairs::kOutputs) {
      while ((work.y & 15U) == K) {
        const auto* of_a = reinterpret_cast<const double*>(of_lane + (work.y >> 4));
        const auto* of_b = reinterpret_cast<const double*>(of_lane + work.x);
        work = *++list;
#pragma unroll
        for (int r = 0; r < kRowsOfThread; ++r)
          of[K][r] = fma(of_a[32 * r], of_b[32 * r], of[K][r]);
      }
      add_from<K + 1>(of_lane, list, work);
    }
  }

  __device__ __forceinline__ void add(const double* stage) {
    const auto* bytes = reinterpret_cast<const char*>(stage);
    const std::uint32_t begin = reinterpret_cast<const std::uint32_t*>(stage)[warp_of_block()];
    const auto* list = reinterpret_cast<const uint2*>(bytes + begin);
    uint2 work = *list;
    add_from<0>(bytes + lane_of_warp() * sizeof(double), list, work);
  }

  /// Writes the sums and resets them.
  __device__ __forceinline__ void write(const StagedProduct& p, int block, Index first) {
    const std::int32_t* members =
        p.members + (Index{block} * StagedPairs::kWarps + warp_of_block()) * StagedPairs::kOutputs;
#pragma unroll
    for (int k = 0; k < StagedPairs::kOutputs; ++k) {
      const std::int32_t member = members[k];
      if (member == StagedPairs::kNone) continue;
      const DiagonalTerm target = p.output[member];
#pragma unroll
      for (int r = 0; r < kRowsOfThread; ++r) {
        const Index i = first + lane_of_warp() + 32 * r;
        if (i >= p.rows || i + target.shift < 0 || i + target.shift >= p.columns) continue;
        double* c = p.c + target.base + i;
        __stcs(c, p.beta == 0 ? of[k][r] : fma(p.beta, *c, of[k][r]));
      }
    }
    *this = {};
  }
};

__device__ __forceinline__ void multiply_stages(const StagedProduct& p, const double* values,
                                                StageBuffer* buffers) {
  StagedSums sums = {};
  for (int count = 0;; ++count) {
    StageBuffer& buffer = buffers[count % 2];
    buffer.full.wait(count / 2);
    const int block = buffer.block;
    const Index first = buffer.first;
    const bool is_last = buffer.is_last != 0;
    if (block == StagedPairs::kNone) return;
    sums.add(values + count % 2 * StagedPairs::kValues);
    __syncwarp();
    if (lane_of_warp() == 0) buffer.empty.arrive();
    if (is_last) sums.write(p, block, first);
  }
}

__global__ void __launch_bounds__(kStagedThreads, 1) staged_product(const StagedProduct p) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) double staged_values[];
  auto* const buffers = reinterpret_cast<StageBuffer*>(staged_values + 2 * StagedPairs::kValues);
  if (threadIdx.x < 2) {
    buffers[threadIdx.x].full.begin(1);
    buffers[threadIdx.x].empty.begin(StagedPairs::kWarps);
  }
  __syncthreads();
  if (warp_of_block() == StagedPairs::kWarps)
    StageProducer(p, staged_values, buffers).run();
  else
    multiply_stages(p, staged_values, buffers);
#else
  __trap();  // never launched: place_pairs() checks is_built_for_stages()
#endif
}

/// True if the kernel was compiled for a target with a bulk-copy engine (sm_90 or later).
inline bool is_built_for_stages() {
  cudaFuncAttributes attributes{};
  base::cuda::check(cudaFuncGetAttributes(&attributes, staged_product), "cudaFuncGetAttributes");
  return attributes.ptxVersion >= 90;
}

inline void launch_staged_product(const StagedProduct& product, int multiprocessors,
                                  cudaStream_t stream) {
  const Index work = product.blocks * product.tiles;
  if (work == 0) return;
  base::cuda::check(cudaFuncSetAttribute(staged_product,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, kStagedBytes),
                    "cudaFuncSetAttribute");
  const auto blocks = static_cast<unsigned>(std::min<Index>(work, multiprocessors));
  staged_product<<<blocks, kStagedThreads, kStagedBytes, stream>>>(product);
  base::cuda::check_launch("staged_product");
}

}  // namespace cisolve::sparse::cuda

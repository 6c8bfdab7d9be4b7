#pragma once

#include <cuda_pipeline.h>

#include "sparse/diagonal/cuda/pair_product.cuh"
#include "sparse/diagonal/staged_pairs.hpp"

// C = A B + beta C where pairs are many: a block takes up to 128 diagonals of C for 128 rows, in
// stages. While one stage is multiplied, from shared memory, the next one is on its way there, and
// what tells of the one after it is on its way into registers. Places beyond the matrices are
// zeros, so nobody asks where they end.
namespace cisolve::sparse::cuda {

struct StagedProduct {
  Index rows;
  Index inner;
  Index columns;
  Index outputs;
  Index block_outputs;
  Index blocks;  // of outputs
  const DiagonalTerm* output;
  const std::int32_t* first_stages;
  const StagedPairs::Stage* stages;
  const StagedPairs::Segment* segments;
  const std::int32_t* first_works;
  const StagedPairs::Work* works;
  const double* a;
  const double* b;
  double beta;
  double* c;
};

constexpr int kStagedThreads = 32 * StagedPairs::kWarps;
constexpr int kStagedBytes = 2 * StagedPairs::kValues * static_cast<int>(sizeof(double));
constexpr int kRowsOfThread = StagedPairs::kRows / 32;
constexpr unsigned kAllLanes = 0xffffffffU;

__device__ __forceinline__ int lane_of_warp() { return static_cast<int>(threadIdx.x) % 32; }
__device__ __forceinline__ int warp_of_block() { return static_cast<int>(threadIdx.x) / 32; }

/// What a warp knows of a stage before it comes: in each lane one of its segments and of its works.
struct StageHeads {
  StagedPairs::Segment segment;
  int segments;
  int next_work;
  int last_work;
  StagedPairs::Work work;

  __device__ __forceinline__ void read_works(const StagedProduct& p) {
    const int place = next_work + lane_of_warp();
    work = place < last_work ? __ldg(p.works + place) : StagedPairs::kNoOutput;
  }
};

/// Stages of a block of outputs of which some pair has rows in the block: a lane knows one of 32.
class Stages {
 public:
  __device__ Stages(const StagedProduct& p, Index group, Index first)
      : p_(p), first_(first), begin_(p.first_stages[group]), end_(p.first_stages[group + 1]) {
    read();
  }

  /// Of the next one, whose numbers are then under way; false where there is none.
  __device__ __forceinline__ bool next(StageHeads& heads) {
    while (left_ == 0) {
      begin_ += 32;
      if (begin_ >= end_) return false;
      read();
    }
    const int lane = __ffs(static_cast<int>(left_)) - 1;
    left_ &= left_ - 1;
    const int first = __shfl_sync(kAllLanes, stage_.first_segment, lane);
    const int last = __shfl_sync(kAllLanes, stage_.last_segment, lane);
    heads.next_work = __shfl_sync(kAllLanes, first_work_, lane);
    heads.last_work = __shfl_sync(kAllLanes, last_work_, lane);
    const int own = last - first - warp_of_block();
    heads.segments = own <= 0 ? 0 : (own + StagedPairs::kWarps - 1) / StagedPairs::kWarps;
    if (lane_of_warp() < heads.segments)
      heads.segment = p_.segments[first + warp_of_block() + lane_of_warp() * StagedPairs::kWarps];
    heads.read_works(p_);
    return true;
  }

 private:
  __device__ __forceinline__ void read() {
    const int stage = begin_ + lane_of_warp();
    bool is_here = stage < end_;
    if (is_here) {
      stage_ = p_.stages[stage];
      const std::int32_t* works = p_.first_works + (stage * StagedPairs::kWarps + warp_of_block());
      first_work_ = works[0];
      last_work_ = works[1];
      is_here = first_ + StagedPairs::kRows - 1 + stage_.largest_step >= 0 &&
                first_ + stage_.least_step < p_.inner;
    }
    left_ = __ballot_sync(kAllLanes, is_here);
  }

  const StagedProduct& p_;
  Index first_;
  int begin_;
  int end_;
  StagedPairs::Stage stage_{};
  int first_work_ = 0;
  int last_work_ = 0;
  unsigned left_ = 0;
};

/// Each warp brings some of the segments, without waiting. At most 32 of them are its own.
__device__ __forceinline__ void bring_stage(const StagedProduct& p, const StageHeads& heads,
                                            Index first, double* stage) {
  const StagedPairs::Segment& mine = heads.segment;
  for (int k = 0; k < heads.segments; ++k) {
    const double* values = __shfl_sync(kAllLanes, mine.of_b, k) != 0 ? p.b : p.a;
    const double* source = values + (__shfl_sync(kAllLanes, mine.base, k) + first);
    const Index row = first + __shfl_sync(kAllLanes, mine.first, k);
    const auto low = static_cast<int>(max(Index{0}, __shfl_sync(kAllLanes, mine.low, k) - row));
    const int count = __shfl_sync(kAllLanes, mine.count, k);
    const auto high =
        static_cast<int>(min(Index{count}, __shfl_sync(kAllLanes, mine.high, k) - row));
    double* target = stage + __shfl_sync(kAllLanes, mine.target, k);
    for (int e = 2 * lane_of_warp(); e < count; e += 64) {
      if (e >= low && e + 1 < high) {
        __pipeline_memcpy_async(target + e, source + e, 16);
      } else {
#pragma unroll
        for (int i = e; i < e + 2; ++i) {
          const bool is_there = i >= low && i < high;
          __pipeline_memcpy_async(target + i, is_there ? source + i : values, 8, is_there ? 0 : 8);
        }
      }
    }
  }
  __pipeline_commit();
}

struct StagedSums {
  double of[StagedPairs::kOutputs][kRowsOfThread];

  /// All works of a lot that are for output K.
  template <int K>
  __device__ __forceinline__ void add_to(const double* stage, StagedPairs::Work mine,
                                         StagedPairs::Work& work, int& t) {
    while ((work & 15) == K) {
      const double* of_a = stage + (work >> 4 & 16383);
      const double* of_b = stage + (work >> 18);
      ++t;
      const StagedPairs::Work next = __shfl_sync(kAllLanes, mine, t % 32);
#pragma unroll
      for (int r = 0; r < kRowsOfThread; ++r) of[K][r] = fma(of_a[32 * r], of_b[32 * r], of[K][r]);
      work = t < 32 ? next : StagedPairs::kNoOutput;
    }
  }

  __device__ __forceinline__ void multiply(const StagedProduct& p, StageHeads heads,
                                           const double* stage) {
    const double* of_lane = stage + lane_of_warp();
    for (;;) {
      int t = 0;
      StagedPairs::Work work = __shfl_sync(kAllLanes, heads.work, 0);
      add_to<0>(of_lane, heads.work, work, t);
      add_to<1>(of_lane, heads.work, work, t);
      add_to<2>(of_lane, heads.work, work, t);
      add_to<3>(of_lane, heads.work, work, t);
      add_to<4>(of_lane, heads.work, work, t);
      add_to<5>(of_lane, heads.work, work, t);
      add_to<6>(of_lane, heads.work, work, t);
      add_to<7>(of_lane, heads.work, work, t);
      heads.next_work += 32;
      if (heads.next_work >= heads.last_work) return;
      heads.read_works(p);
    }
  }
};

__device__ __forceinline__ void write_sums(const StagedProduct& p, const StagedSums& sums,
                                           Index first_output, Index last_output, Index row) {
#pragma unroll
  for (int k = 0; k < StagedPairs::kOutputs; ++k) {
    const Index number = first_output + k * StagedPairs::kWarps;
    if (number >= last_output) return;
    const DiagonalTerm target = p.output[number];
#pragma unroll
    for (int r = 0; r < kRowsOfThread; ++r) {
      const Index i = row + 32 * r;
      if (i >= p.rows || i + target.shift < 0 || i + target.shift >= p.columns) continue;
      double* c = p.c + target.base + i;
      __stcs(c, p.beta == 0 ? sums.of[k][r] : fma(p.beta, *c, sums.of[k][r]));
    }
  }
}

__global__ void __launch_bounds__(kStagedThreads, 1) staged_product(const StagedProduct p) {
  extern __shared__ __align__(16) double staged_values[];
  const Index tiles = (p.rows + StagedPairs::kRows - 1) / StagedPairs::kRows;
  const TilePlace place(blockIdx.x, tiles, p.blocks);
  const Index first = place.tile * StagedPairs::kRows;
  const Index first_output = place.group * p.block_outputs;
  const Index last_output = min(first_output + p.block_outputs, p.outputs);
  if (first + StagedPairs::kRows - 1 + p.output[last_output - 1].shift < 0 ||
      first + p.output[first_output].shift >= p.columns)
    return;  // none of them has such rows
  double* here = staged_values;
  double* there = staged_values + StagedPairs::kValues;
  StagedSums sums = {};
  Stages stages(p, place.group, first);
  StageHeads now{};    // being multiplied
  StageHeads then{};   // on its way
  StageHeads later{};  // only heard of
  bool has_now = stages.next(now);
  bool has_then = has_now && stages.next(then);
  if (has_now) bring_stage(p, now, first, here);
  while (has_now) {
    __pipeline_wait_prior(0);
    __syncthreads();  // the stage is here, and nobody reads the one before
    if (has_then) bring_stage(p, then, first, there);
    const bool has_later = has_then && stages.next(later);
    sums.multiply(p, now, here);
    now = then;
    then = later;
    has_now = has_then;
    has_then = has_later;
    double* other = here;
    here = there;
    there = other;
  }
  write_sums(p, sums, first_output + warp_of_block(), last_output, first + lane_of_warp());
}

inline void launch_staged_product(const StagedProduct& product, cudaStream_t stream) {
  const Index tiles = (product.rows + StagedPairs::kRows - 1) / StagedPairs::kRows;
  const Index blocks = tiles * product.blocks;
  if (blocks == 0) return;
  base::cuda::check(cudaFuncSetAttribute(staged_product,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, kStagedBytes),
                    "cudaFuncSetAttribute");
  staged_product<<<static_cast<unsigned>(blocks), kStagedThreads, kStagedBytes, stream>>>(product);
  base::cuda::check_launch("staged_product");
}

}  // namespace cisolve::sparse::cuda

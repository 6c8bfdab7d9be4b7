#pragma once

#include "base/cuda/bulk_copies.cuh"
#include "base/cuda/context.hpp"
#include "sparse/diagonal/cuda/pair_product.cuh"
#include "sparse/diagonal/staged_pairs.hpp"

// Producer warp of a staged product: loads stages, block of outputs after block, while the other
// warps multiply.
namespace cisolve::sparse::cuda {

struct StagedProduct {
  Index rows;
  Index inner;
  Index columns;
  Index blocks;  // blocks of outputs
  Index tiles;   // tiles of rows
  const StagedPairs::Block* block;
  const std::int32_t* members;
  const StagedPairs::Stage* stages;
  const StagedPairs::Segment* segments;
  const StagedPairs::Work* words;
  const DiagonalTerm* output;
  const double* zeros;       // as many as the longest segment
  unsigned long long* next;  // number of the next block and tile to be taken; 0 between products
  const double* a;
  const double* b;
  double beta;
  double* c;
};

constexpr unsigned kAllLanes = 0xffffffffU;
__device__ __forceinline__ int lane_of_warp() { return static_cast<int>(threadIdx.x) % 32; }
__device__ __forceinline__ int warp_of_block() { return static_cast<int>(threadIdx.x) / 32; }

/// State of one of the two stage buffers in shared memory (the values are elsewhere).
struct StageBuffer {
  base::cuda::TransferBarrier full;   // the stage is loaded
  base::cuda::TransferBarrier empty;  // every warp has finished reading it
  Index first;                        // row
  std::int32_t block;                 // kNone: no more work
  std::int32_t is_last;
};

/// Writes empty lists, for a block without a stage in these rows.
__device__ __forceinline__ void put_empty_lists(double* stage) {
  constexpr int place = 8 * StagedPairs::kHead;
  if (lane_of_warp() < 2 * StagedPairs::kHead)
    reinterpret_cast<std::uint32_t*>(stage)[lane_of_warp()] = place;
  if (lane_of_warp() == 0)
    reinterpret_cast<uint2*>(stage)[StagedPairs::kHead] = {0, StagedPairs::kEnd};
}

class StageProducer {
 public:
  __device__ StageProducer(const StagedProduct& p, double* values, StageBuffer* buffers)
      : p_(p), values_(values), buffers_(buffers) {}

  __device__ __forceinline__ void run() {
    while (take_block()) {
      const StagedPairs::Block& block = p_.block[block_];
      int from = block.first_stage;
      int to = block.first_stage;
      for (int s = block.first_stage; s < block.last_stage; s += 32) {
        const int mine = s + lane_of_warp();
        const bool is_one = mine < block.last_stage;
        const StagedPairs::Stage stage = p_.stages[is_one ? mine : block.first_stage];
        const bool is_before = first_ + StagedPairs::kRows - 1 + stage.largest_step < 0;
        const bool is_behind = first_ + stage.least_step >= p_.inner;
        from += __popc(__ballot_sync(kAllLanes, is_one && is_before));
        to += __popc(__ballot_sync(kAllLanes, is_one && !is_behind));
      }
      if (from >= to) publish_empty();
      for (int s = from; s < to; ++s) publish(p_.stages[s], s + 1 == to);
    }
    block_ = StagedPairs::kNone;
    publish_empty();
  }

 private:
  /// Takes the next block and tile. Among neighbouring tiles the largest blocks come first, which
  /// shortens the tail of the kernel.
  __device__ __forceinline__ bool take_block() {
    const auto all = static_cast<unsigned long long>(p_.tiles * p_.blocks);
    for (;;) {
      unsigned long long number = 0;
      if (lane_of_warp() == 0) {
        number = atomicAdd(p_.next, 1ULL);
        if (number == all + gridDim.x - 1)
          *p_.next = 0;  // the last producer that finds none resets the counter
      }
      number = __shfl_sync(kAllLanes, number, 0);
      if (number >= all) return false;
      const TilePlace place(static_cast<Index>(number), p_.tiles, p_.blocks);
      block_ = static_cast<std::int32_t>(place.group);
      first_ = place.tile * StagedPairs::kRows;
      const StagedPairs::Block& block = p_.block[block_];
      if (first_ + StagedPairs::kRows - 1 + block.largest_shift >= 0 &&
          first_ + block.least_shift < p_.columns)
        return true;
    }
  }

  /// Waits until all warps have finished with the buffer's previous stage.
  __device__ __forceinline__ StageBuffer& wait_until_empty(bool is_last) {
    StageBuffer& buffer = buffers_[count_ % 2];
    if (count_ >= 2) buffer.empty.wait(count_ / 2 - 1);
    base::cuda::fence_before_copies();
    if (lane_of_warp() == 0) {
      buffer.first = first_;
      buffer.block = block_;
      buffer.is_last = is_last ? 1 : 0;
    }
    return buffer;
  }

  __device__ __forceinline__ double* place() const {
    return values_ + count_ % 2 * StagedPairs::kValues;
  }

  __device__ __forceinline__ void signal_full(StageBuffer& buffer) {
    __syncwarp();
    if (lane_of_warp() == 0) buffer.full.arrive();
    ++count_;
  }

  __device__ __forceinline__ void publish_empty() {
    StageBuffer& buffer = wait_until_empty(true);
    put_empty_lists(place());
    signal_full(buffer);
  }

  __device__ __forceinline__ void publish(const StagedPairs::Stage stage, bool is_last) {
    constexpr int lots = StagedPairs::kMostSegments / 32;
    StagedPairs::Segment mine[lots];  // loaded before the buffer is free
#pragma unroll
    for (int k = 0; k < lots; ++k) {
      const int number = stage.first_segment + lane_of_warp() + 32 * k;
      mine[k] = number < stage.last_segment ? p_.segments[number] : StagedPairs::Segment{};
    }
    StageBuffer& buffer = wait_until_empty(is_last);
    if (lane_of_warp() == 0) {
      const Index bytes = bytes_of(stage.words);
      buffer.full.expect_more(bytes);
      buffer.full.copy(place(), p_.words + stage.first_word, bytes);
    }
#pragma unroll
    for (int k = 0; k < lots; ++k)
      if (__any_sync(kAllLanes, mine[k].count > 0)) bring(mine[k], buffer.full);
    signal_full(buffer);
  }

  static __device__ __forceinline__ unsigned bytes_of(int values) {
    return static_cast<unsigned>(values) * sizeof(double);
  }

  /// Loads one segment per lane. The copy engine copies pairs of values or zeros; if only one of a
  /// pair exists, the lane writes both.
  __device__ __forceinline__ void bring(const StagedPairs::Segment& mine,
                                        base::cuda::TransferBarrier& full) {
    const int count = mine.count;
    const Index row = first_ + mine.first;
    const auto low = static_cast<int>(min(max(Index{0}, mine.low - row), Index{count}));
    const auto high = static_cast<int>(max(min(Index{count}, mine.high - row), Index{low}));
    const bool is_there = high > low;
    const int zeros_before = is_there ? low / 2 * 2 : count;
    const int zeros_from = is_there ? (high + 1) / 2 * 2 : count;
    const int begin = (low + 1) / 2 * 2;
    const int values = is_there ? max(0, high / 2 * 2 - begin) : 0;
    const unsigned all =
        __reduce_add_sync(kAllLanes, bytes_of(zeros_before + values + count - zeros_from));
    if (lane_of_warp() == 0) full.expect_more(all);
    __syncwarp();
    if (count == 0) return;
    double* const target = place() + mine.target;
    const double* const source = (mine.of_b != 0 ? p_.b : p_.a) + (mine.base + first_);
    if (zeros_before > 0) full.copy(target, p_.zeros, bytes_of(zeros_before));
    if (values > 0) full.copy(target + begin, source + begin, bytes_of(values));
    if (zeros_from < count) full.copy(target + zeros_from, p_.zeros, bytes_of(count - zeros_from));
    if (is_there && low % 2 != 0) {
      target[low - 1] = 0;
      target[low] = __ldg(source + low);
    }
    if (is_there && high % 2 != 0) {
      target[high - 1] = __ldg(source + high - 1);
      target[high] = 0;
    }
  }

  const StagedProduct& p_;
  double* values_;
  StageBuffer* buffers_;
  Index first_ = 0;
  std::int32_t block_ = 0;
  int count_ = 0;  // stages published so far
};

}  // namespace cisolve::sparse::cuda

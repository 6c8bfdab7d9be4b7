#pragma once

#include <cub/block/block_scan.cuh>

#include "sparse/tiled/cuda/block_view.cuh"

// Columns in the tiles of each block, in pairs; same result as ColumnSet::pack().
namespace cisolve::sparse::cuda {

/// Result of packing a block's columns.
struct PackedBlock {
  Index pairs;  // pairs in all tiles
  Index end;    // one past the last pair
};

/// Marks the pairs of all elements of a block of rows.
__global__ void mark_pairs(const BlockView* blocks, WindowView window) {
  const BlockView block = blocks[blockIdx.y];
  const Index end = window.offsets[block.first_row + block.rows];
  const Index step = Index{gridDim.x} * blockDim.x;
  for (Index k = window.offsets[block.first_row] + Index{blockIdx.x} * blockDim.x + threadIdx.x;
       k < end; k += step) {
    const Column pair = window.columns[k] / 2;
    unsigned long long* word = &block.pairs[pair / 64].bits;
    const unsigned long long bit = 1ULL << pair % 64;
    if ((__ldcg(word) & bit) == 0) atomicOr(word, bit);  // skips most atomics
  }
}

/// Takes pairs in ascending order and decides which gaps between them are included: short ones, and
/// only if the following pair fits into the same tile.
class GapFiller {
 public:
  using Word = unsigned long long;

  __device__ GapFiller(std::uint32_t width, std::uint32_t longest_gap)
      : width_(width), longest_gap_(longest_gap) {}

  /// Takes the pairs of a word, which begin at pair `at`; fills gaps in it and in the word before.
  __device__ void take(Index at, Word& word, Word& before) {
    for (Word rest = word; rest != 0;) {
      const int first = __ffsll(static_cast<long long>(rest)) - 1;
      const Word beyond = ~(rest >> first);
      const int count = beyond == 0 ? 64 : __ffsll(static_cast<long long>(beyond)) - 1;
      take_run(at, first, count, word, before);
      rest = first + count == 64 ? 0 : rest & ~Word{0} << (first + count);
    }
  }

  /// Takes `count` consecutive pairs from bit `first` of the word on.
  __device__ void take_run(Index at, int first, int count, Word& word, Word& before) {
    const Index gap = at + first - end_;
    if (filled_ > 0 && gap > 0 && gap <= longest_gap_ &&
        filled_ + static_cast<std::uint32_t>(gap) < width_) {
      fill(first, static_cast<int>(gap), word, before);
      filled_ += static_cast<std::uint32_t>(gap);
    }
    filled_ = (filled_ + static_cast<std::uint32_t>(count) - 1) % width_ + 1;
    end_ = at + first + count;
  }

  __device__ Index end() const { return end_; }

 private:
  /// Fills a gap of fewer pairs than a word has.
  __device__ static void fill(int first, int gap, Word& word, Word& before) {
    const Word below = (Word{1} << first) - 1;
    if (gap <= first) {
      word |= below & ~((Word{1} << (first - gap)) - 1);
    } else {
      word |= below;
      before |= ~Word{0} << (64 - (gap - first));
    }
  }

  std::uint32_t width_;
  std::uint32_t longest_gap_;
  std::uint32_t filled_ = 0;  // pairs in the current tile
  Index end_ = 0;             // end of the pairs so far
};

inline constexpr int kPackGroups = 16;  // groups of 32 words that a warp loads at once
inline constexpr int kPackWords = kPackGroups * 32;

/// Words in shared memory; full and empty words are processed in groups.
struct PackedWords {
  GapFiller::Word bits[kPackWords + 1];  // preceded by the last word before them
  unsigned some[kPackGroups];            // bit mask of words with any pair
  unsigned full[kPackGroups];            // bit mask of words with all pairs

  __device__ void bring(const PairWord* words, Index count) {
    for (int group = 0; group < kPackGroups; ++group) {
      const int k = group * 32 + lane_of_warp();
      const GapFiller::Word word = k < count ? words[k].bits : 0;
      bits[k + 1] = word;
      const unsigned has_some = __ballot_sync(kWholeWarp, word != 0);
      const unsigned is_full = __ballot_sync(kWholeWarp, ~word == 0);
      if (lane_of_warp() == 0) {
        some[group] = has_some;
        full[group] = is_full;
      }
    }
  }

  /// Fills gaps by one thread; `at` is the first word's first pair.
  __device__ void fill_gaps(GapFiller& filler, Index at) {
    for (int group = 0; group < kPackGroups; ++group)
      for (unsigned rest = some[group]; rest != 0;) {
        const int bit = __ffs(static_cast<int>(rest)) - 1;
        const int k = group * 32 + bit;
        const int run =
            __clz(static_cast<int>(__brev(~(full[group] >> bit))));  // number of full words
        if (run == 0)
          filler.take(at + Index{k} * 64, bits[k + 1], bits[k]);
        else
          filler.take_run(at + Index{k} * 64, 0, run * 64, bits[k + 1], bits[k]);
        const int done = bit + (run == 0 ? 1 : run);
        rest = done == 32 ? 0 : rest & kWholeWarp << done;
      }
  }
};

/// One warp per block. Each decision depends on all earlier ones, so one thread decides.
__global__ void __launch_bounds__(32)
    fill_gaps(const BlockView* blocks, Index words, std::uint32_t width, std::uint32_t longest_gap,
              PackedBlock* packed) {
  __shared__ PackedWords here;
  PairWord* mine = blocks[blockIdx.x].pairs;
  GapFiller filler(width, longest_gap);
  for (Index first = 0; first < words; first += kPackWords) {
    const Index count = words - first < kPackWords ? words - first : kPackWords;
    if (threadIdx.x == 0) here.bits[0] = first > 0 ? here.bits[kPackWords] : 0;
    __syncwarp();
    here.bring(mine + first, count);
    __syncwarp();
    if (threadIdx.x == 0) {
      here.fill_gaps(filler, first * 64);
      if (first > 0) mine[first - 1].bits = here.bits[0];
    }
    __syncwarp();
    for (Index k = threadIdx.x; k < count; k += 32) mine[first + k].bits = here.bits[k + 1];
    __syncwarp();
  }
  if (threadIdx.x == 0) packed[blockIdx.x].end = filler.end();
}

inline constexpr int kRankThreads = 512;
inline constexpr int kRankWords = 4;  // words that a thread takes at a time

/// Counts the pairs before each word.
__global__ void __launch_bounds__(kRankThreads)
    rank_pairs(const BlockView* blocks, Index words, PackedBlock* packed) {
  using Scan = cub::BlockScan<std::uint32_t, kRankThreads>;
  __shared__ typename Scan::TempStorage scratch;
  PairWord* mine = blocks[blockIdx.x].pairs;
  std::uint32_t before = 0;
  for (Index first = kRankWords * threadIdx.x; first - kRankWords * threadIdx.x < words;
       first += kRankWords * kRankThreads) {
    std::uint32_t counts[kRankWords];
    std::uint32_t all = 0;
    for (int k = 0; k < kRankWords; ++k)
      counts[k] = first + k < words ? __popcll(mine[first + k].bits) : 0;
    Scan(scratch).ExclusiveSum(counts, counts, all);
    for (int k = 0; k < kRankWords; ++k)
      if (first + k < words) mine[first + k].before = before + counts[k];
    before += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) packed[blockIdx.x].pairs = before;
}

}  // namespace cisolve::sparse::cuda

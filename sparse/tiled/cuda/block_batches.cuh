#pragma once

#include "base/cuda/context.hpp"
#include "base/fill.hpp"
#include "sparse/tiled/cuda/pack_pairs.cuh"
#include "sparse/tiled/cuda/row_window.cuh"
#include "sparse/tiled/tiled_plan.hpp"

// Batches of blocks of rows, as large as memory allows.
namespace cisolve::sparse::cuda {

/// A grid with one row of thread blocks per block of rows.
inline dim3 grid_of(Index wide, Index blocks) {
  constexpr Index kWidest = 4096;
  return {static_cast<unsigned>(std::clamp<Index>(wide, 1, kWidest)),
          static_cast<unsigned>(blocks)};
}

/// Blocks with packed columns whose tables fit into memory together.
struct Batch {
  std::span<const Index> numbers;  // numbers of the blocks in the division
  std::span<BlockView> blocks;
  std::span<const PackedBlock> packed;
  Index tiles = 0;
  Index most_tiles = 0;  // tiles per block
  Index parts = 0;
};

class BlockBatches {
 public:
  /// `bytes` bounds the tables of one batch.
  BlockBatches(RowWindow& window, const MatrixShape& shape, const TileGeometry& geometry,
               Index bytes, const base::Backend& device)
      : window_(window),
        words_(shape.columns / 128 + 1),
        longest_gap_(static_cast<std::uint32_t>(kRunColumns / geometry.vectors / 2)),
        bytes_(bytes),
        device_(device),
        pairs_(device, "the columns that blocks of rows use"),
        blocks_(device, "the blocks of rows"),
        packed_(device, "the blocks of rows") {}

  Index words() const { return words_; }

  /// Calls work(batch) for all numbered blocks; batch.blocks are host copies of the views.
  template <class Work>
  void for_each(const Division& division, std::span<const Index> numbers, Work&& work) {
    const std::vector<Index>& begins = division.begins;
    const Index most = std::max<Index>(1, bytes_ / (words_ * Index{sizeof(PairWord)}));
    for (Index i = 0; i < std::ssize(numbers);) {
      Index end = i;
      for (Index elements = 0; end < std::ssize(numbers) && end - i < most; ++end) {
        elements += window_.elements_between(begins[numbers[end]], begins[numbers[end] + 1]);
        if (end > i && !window_.fits(elements)) break;
      }
      for_each_batch(division, numbers.subspan(i, end - i), work);
      i = end;
    }
  }

  const BlockView* upload(std::span<const BlockView> blocks) { return blocks_.copy_of(blocks); }

 private:
  /// Processes the blocks of one window.
  template <class Work>
  void for_each_batch(const Division& division, std::span<const Index> numbers, Work&& work) {
    std::vector<BlockView> blocks = views(division, numbers);
    const auto width = static_cast<std::uint32_t>(division.tile_columns / 2);
    const std::vector<PackedBlock> packed = pack(blocks, width);
    for (Index i = 0; i < std::ssize(blocks);) {
      Batch batch;
      Index end = i;
      for (Index bytes = 0; end < std::ssize(blocks); ++end) {
        BlockView& block = blocks[end];
        block.tiles = (packed[end].pairs + width - 1) / width;
        bytes += bytes_of(block);
        if (end > i && bytes > bytes_) break;
        block.first_tile = batch.tiles;
        block.first_part = batch.parts;
        batch.tiles += block.tiles;
        batch.most_tiles = std::max(batch.most_tiles, block.tiles);
        batch.parts += block.rows * (block.tiles + 1);
      }
      batch.numbers = numbers.subspan(i, end - i);
      batch.blocks = std::span(blocks).subspan(i, end - i);
      batch.packed = std::span(packed).subspan(i, end - i);
      work(batch);
      i = end;
    }
  }

  /// Bytes for the parts of a block and for the start of each lane of each cell.
  static Index bytes_of(const BlockView& block) {
    return block.rows * (block.tiles + 1) * Index{sizeof(std::uint32_t)} +
           block.tiles * kTileThreads * 8;
  }

  std::vector<BlockView> views(const Division& division, std::span<const Index> numbers) {
    const std::vector<Index>& begins = division.begins;
    std::vector<RowRange> ranges;
    for (const Index number : numbers) {
      if (ranges.empty() || ranges.back().last < begins[number])
        ranges.push_back({begins[number], begins[number], 0});
      ranges.back().last = begins[number + 1];
    }
    window_.load(std::move(ranges));
    PairWord* pairs = pairs_.at_least(words_ * std::ssize(numbers));
    std::vector<BlockView> blocks;
    for (const Index number : numbers) {
      blocks.push_back({.first_row = window_.place_of(begins[number]),
                        .rows = begins[number + 1] - begins[number],
                        .pairs = pairs});
      pairs += words_;
    }
    return blocks;
  }

  std::vector<PackedBlock> pack(std::span<const BlockView> blocks, std::uint32_t width) {
    constexpr int kThreads = 256;
    const Index count = std::ssize(blocks);
    base::fill_bytes(device_, pairs_.data(), 0, words_ * count * Index{sizeof(PairWord)});
    const BlockView* there = upload(blocks);
    PackedBlock* packed = packed_.at_least(count);
    const cudaStream_t stream = device_.device().stream();
    mark_pairs<<<grid_of(8192 / count, count), kThreads, 0, stream>>>(there, window_.view());
    base::cuda::check_launch("mark_pairs");
    const auto grid = static_cast<unsigned>(count);
    fill_gaps<<<grid, 32, 0, stream>>>(there, words_, width, longest_gap_, packed);
    base::cuda::check_launch("fill_gaps");
    rank_pairs<<<grid, kRankThreads, 0, stream>>>(there, words_, packed);
    base::cuda::check_launch("rank_pairs");
    return packed_.first(count);
  }

  RowWindow& window_;
  Index words_;  // words for pairs of all columns
  std::uint32_t longest_gap_;
  Index bytes_;
  base::Backend device_;
  GrowingArray<PairWord> pairs_;
  GrowingArray<BlockView> blocks_;
  GrowingArray<PackedBlock> packed_;
};

}  // namespace cisolve::sparse::cuda

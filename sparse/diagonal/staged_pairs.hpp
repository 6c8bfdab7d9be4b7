#pragma once

#include <cstdint>
#include <vector>

#include "sparse/diagonal/pairs.hpp"

namespace cisolve::sparse {

/// Pairs as a block of threads of a device takes them: up to 180 diagonals of the result for 128 of
/// its rows, one stage after the other. A stage brings what some pairs need of A and B into shared
/// memory, where it is read many times. Nothing of it depends on which rows they are, but that all
/// of it lies so many rows further on.
struct StagedPairs {
  static constexpr int kRows = 128;
  static constexpr int kWarps = 15;          // that multiply
  static constexpr int kOutputs = 12;        // of a warp, at most
  static constexpr int kValues = 14'000;     // of a stage, words included
  static constexpr int kHead = 8;            // words before the works
  static constexpr int kMostSegments = 128;  // of a stage
  static constexpr std::int32_t kNone = -1;  // in place of an output
  static constexpr std::uint32_t kEnd = 15;  // in place of an output of a warp

  /// Neighbouring values of a diagonal; two at once, so that `base`, `count` and `target` are even.
  /// Number e of them belongs to row `first` + e of A or B, counted from the first row of the
  /// block, and is there where that is from `low` up to `high`.
  struct Segment {
    Index base;  // of number 0, among the values
    std::int32_t first;
    std::int32_t count;
    std::int32_t low;
    std::int32_t high;
    std::int32_t target;  // in the stage
    std::int32_t of_b;
  };

  /// Values of A from one place of the stage on, times those of B from another, are added to one of
  /// a warp's outputs. Places are counted in bytes.
  struct Work {
    std::uint32_t b;
    std::uint32_t a;  // times 16, and the output; kEnd where a list ends

    static Work of(int place_of_a, int place_of_b, std::uint32_t output) {
      return {8 * static_cast<std::uint32_t>(place_of_b),
              8 * static_cast<std::uint32_t>(place_of_a) << 4 | output};
    }
    int place_of_a() const { return static_cast<int>((a >> 4) / 8); }
    int place_of_b() const { return static_cast<int>(b / 8); }
    std::uint32_t output() const { return a & 15U; }
  };

  /// Its words come first: where each warp's list of works begins, in bytes, two of them in a word,
  /// and these lists, which ascend by output.
  struct Stage {
    std::int32_t first_word;
    std::int32_t words;
    std::int32_t first_segment;
    std::int32_t last_segment;
    std::int32_t least_step;  // of its diagonals of A
    std::int32_t largest_step;
  };

  struct Block {
    std::int32_t first_stage;
    std::int32_t last_stage;
    Index least_shift;  // of its outputs
    Index largest_shift;
  };

  std::vector<Block> blocks;          // those with most work first
  std::vector<std::int32_t> members;  // which output of the result is which of a block and warp
  std::vector<Stage> stages;
  std::vector<Segment> segments;
  std::vector<Work> words;
  Index longest = 0;  // of the segments

  static StagedPairs of(const ProductPairs& all, const base::Backend& host);
};

}  // namespace cisolve::sparse

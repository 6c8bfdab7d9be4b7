#pragma once

#include <cstdint>
#include <vector>

#include "sparse/diagonal/pairs.hpp"

namespace cisolve::sparse {

/// Pairs as a block of threads of a device takes them: up to 128 diagonals of the result for 128 of
/// its rows, one stage after the other. A stage brings what some pairs need of A and B into shared
/// memory, where it is read many times. Nothing of it depends on which rows they are, but that all
/// of it lies so many rows further on.
struct StagedPairs {
  static constexpr int kRows = 128;
  static constexpr int kWarps = 16;
  static constexpr int kOutputs = 8;      // of a warp, at most
  static constexpr int kValues = 14'000;  // of a stage

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

  struct Stage {
    std::int32_t first_segment;
    std::int32_t last_segment;
    std::int32_t least_step;  // of its diagonals of A
    std::int32_t largest_step;
  };

  /// What a warp does: values of A from one place of the stage on (bits 4 to 17), times those of B
  /// from another (bits 18 on), are added to one of its outputs (bits 0 to 3), which are those of
  /// the block from its own number on, kWarps apart. They ascend by output.
  using Work = std::uint32_t;
  static constexpr int kNoOutput = 15;
  static Work work(int output, int place_of_a, int place_of_b) {
    return static_cast<Work>(output) | static_cast<Work>(place_of_a) << 4 |
           static_cast<Work>(place_of_b) << 18;
  }

  Index block_outputs = 0;
  std::vector<std::int32_t> first_stages;  // of each block of outputs, and the end
  std::vector<Stage> stages;
  std::vector<Segment> segments;
  std::vector<std::int32_t> first_works;  // of each stage and warp, and the end
  std::vector<Work> works;

  static StagedPairs of(const ProductPairs& all, const base::Backend& host);
};

}  // namespace cisolve::sparse

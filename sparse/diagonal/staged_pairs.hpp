#pragma once

#include <cstdint>
#include <vector>

#include "sparse/diagonal/pairs.hpp"

namespace cisolve::sparse {

/// Pairs as a thread block of a device takes them: up to 180 diagonals of the result for 128 rows,
/// stage by stage. A stage copies the values of A and B that some pairs need into shared memory,
/// where each is read many times. The plan is independent of the rows, except that all values of
/// rows further down are offset by the row number.
struct StagedPairs {
  static constexpr int kRows = 128;
  static constexpr int kWarps = 15;          // multiplying warps
  static constexpr int kOutputs = 12;        // most outputs per warp
  static constexpr int kValues = 14'000;     // doubles per stage, words included
  static constexpr int kHead = 8;            // words ahead of the lists
  static constexpr int kMostSegments = 128;  // segments per stage
  static constexpr std::int32_t kNone = -1;  // marks no output
  static constexpr std::uint32_t kEnd = 15;  // end of a warp's list, in place of an output

  /// Consecutive values of one diagonal, copied in pairs, so that `base`, `count` and `target` are
  /// even. Element e belongs to row `first` + e of A or B, relative to the block's first row, and
  /// exists if that row is in [low, high).
  struct Segment {
    Index base;  // position of element 0 among the values
    std::int32_t first;
    std::int32_t count;
    std::int32_t low;
    std::int32_t high;
    std::int32_t target;  // position in the stage
    std::int32_t of_b;
  };

  /// Multiplies the values of A from one position of the stage on by values of B from another, and
  /// adds them to one of the warp's outputs. Positions in bytes.
  struct Work {
    std::uint32_t b;
    std::uint32_t a;  // position times 16, plus the output; kEnd at the end of a list

    static Work of(int place_of_a, int place_of_b, std::uint32_t output) {
      return {8 * static_cast<std::uint32_t>(place_of_b),
              8 * static_cast<std::uint32_t>(place_of_a) << 4 | output};
    }
    int place_of_a() const { return static_cast<int>((a >> 4) / 8); }
    int place_of_b() const { return static_cast<int>(b / 8); }
    std::uint32_t output() const { return a & 15U; }
  };

  /// Starts with its words: begin of each warp's list in bytes (two per word), then the lists,
  /// sorted by output.
  struct Stage {
    std::int32_t first_word;
    std::int32_t words;
    std::int32_t first_segment;
    std::int32_t last_segment;
    std::int32_t least_step;  // least step of its diagonals of A
    std::int32_t largest_step;
  };

  struct Block {
    std::int32_t first_stage;
    std::int32_t last_stage;
    Index least_shift;  // least shift of its outputs
    Index largest_shift;
  };

  std::vector<Block> blocks;          // sorted by falling work
  std::vector<std::int32_t> members;  // [block][warp][slot]: output of the result, or kNone
  std::vector<Stage> stages;
  std::vector<Segment> segments;
  std::vector<Work> words;
  Index longest = 0;  // segment, in values

  static StagedPairs of(const ProductPairs& all, const base::Backend& host);
};

}  // namespace cisolve::sparse

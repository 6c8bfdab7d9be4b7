#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

// The tiles of a row block hold only the elements of x that its rows use ("columns"), packed
// without long gaps.
namespace cisolve::sparse {

using base::Column;
using base::Index;

/// Consecutive columns in a tile. `first` and `place` are even, and so is `count` except at the
/// right edge of the matrix, since pairs of values are copied.
struct PackedRun {
  Index first;
  Index count;
  Index tile;
  Index place;  // position of `first` in the tile

  Index end() const { return first + count; }
};

/// A set of columns of a matrix.
class ColumnSet {
 public:
  explicit ColumnSet(Index columns) : columns_(columns), words_(columns / 64 + 1) {}

  void add(Index column) { words_[column / 64] |= std::uint64_t{1} << column % 64; }

  /// Packs the columns in ascending order into tiles of `width` columns (even). Gaps of up to
  /// `longest_gap` columns between members are included.
  std::vector<PackedRun> pack(Index width, Index longest_gap) const;

 private:
  Index columns_;
  std::vector<std::uint64_t> words_;
};

/// Looks up columns in ascending runs.
class RunFinder {
 public:
  RunFinder(std::span<const PackedRun> runs, Index columns);

  /// The run that contains a column; it must exist.
  const PackedRun& of(Index column) const {
    Index k = first_run_[column / kStride];
    while (runs_[k].end() <= column) ++k;
    return runs_[k];
  }

 private:
  static constexpr Index kStride = 64;

  std::span<const PackedRun> runs_;
  std::vector<std::uint32_t> first_run_;  // first run that ends beyond kStride * index
};

}  // namespace cisolve::sparse

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

// Which columns of x the tiles of a block hold: those that its rows use, packed side by side.
namespace cisolve::sparse {

using base::Column;
using base::Index;

/// Neighbouring columns in a tile. First and place are even, and so is the count but at the right
/// edge of the matrix: pairs of values are copied whole.
struct PackedRun {
  Index first;
  Index count;
  Index tile;
  Index place;  // of the first in the tile

  Index end() const { return first + count; }
};

/// A set of columns of a matrix.
class ColumnSet {
 public:
  explicit ColumnSet(Index columns) : columns_(columns), words_(columns / 64 + 1) {}

  void add(Index column) { words_[column / 64] |= std::uint64_t{1} << column % 64; }

  /// Packs the columns in ascending order into tiles of `width` columns, an even number. Columns
  /// between two of the set that are not more than `longest_gap` are taken along.
  std::vector<PackedRun> pack(Index width, Index longest_gap) const;

 private:
  Index columns_;
  std::vector<std::uint64_t> words_;
};

/// Finds columns in ascending runs.
class RunFinder {
 public:
  RunFinder(std::span<const PackedRun> runs, Index columns);

  /// The run that holds a column; one does.
  const PackedRun& of(Index column) const {
    Index k = first_run_[column / kStride];
    while (runs_[k].end() <= column) ++k;
    return runs_[k];
  }

 private:
  static constexpr Index kStride = 64;

  std::span<const PackedRun> runs_;
  std::vector<std::uint32_t> first_run_;  // that ends beyond kStride times the place here
};

}  // namespace cisolve::sparse

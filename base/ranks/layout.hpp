#pragma once

#include <span>
#include <vector>

#include "base/ranks/communicator.hpp"
#include "base/types.hpp"

namespace cisolve::base {

/// Which rows stand where: each rank has a share of contiguous rows, and the shares in the order of
/// the ranks are all rows. A share may be empty.
class Layout {
 public:
  /// All rows in one process.
  Layout(Index rows = 0) : starts_{0, rows} {}  // NOLINT: a number of rows is a layout

  /// So many rows on each rank.
  static Layout of_counts(std::span<const Index> counts);

  /// Shares that differ by at most one row.
  static Layout even(Index rows, int ranks);

  /// The layout in which each rank has as many rows as it says; all ranks ask for it together.
  static Layout gathered(const Communicator& ranks, Index mine);

  int ranks() const { return static_cast<int>(starts_.size()) - 1; }
  Index rows() const { return starts_.back(); }
  Index first(int rank) const { return starts_[rank]; }
  Index count(int rank) const { return starts_[rank + 1] - starts_[rank]; }

  bool operator==(const Layout&) const = default;

 private:
  std::vector<Index> starts_;  // of each rank, and the end
};

}  // namespace cisolve::base

#pragma once

#include <span>
#include <vector>

#include "base/ranks/communicator.hpp"
#include "base/types.hpp"

namespace cisolve::base {

/// Which rows of vectors stand where. The rows have one canonical order, in which files and
/// analyses know them and random vectors number them; whoever holds vectors may cut it into pieces
/// of neighbouring rows, such as the blocks of a symmetry or of strings, and give these to ranks in
/// any order. A rank may hold nothing.
class Layout {
 public:
  /// Rows first to first + count of the canonical order, which stand together in the memory of a
  /// rank, from its row `at` on.
  struct Piece {
    int rank = 0;
    Index first = 0;
    Index count = 0;
    Index at = 0;

    bool operator==(const Piece&) const = default;
  };

  /// No rows: nothing is said yet.
  Layout() = default;

  /// All rows in one process, in canonical order.
  static Layout whole(Index rows);

  /// So many rows on each rank, in canonical order.
  static Layout of_counts(std::span<const Index> counts);

  /// Those of each rank follow each other in its memory in the order in which they are given; `at`
  /// is not read. Throws Fault::usage unless each row stands in exactly one of them.
  static Layout of_pieces(int ranks, std::span<const Piece> pieces);

  /// Shares that differ by at most one row.
  static Layout even(Index rows, int ranks);

  /// The layout in canonical order in which each rank has as many rows as it says; all ranks ask
  /// for it together.
  static Layout gathered(const Communicator& ranks, Index mine);

  int ranks() const { return static_cast<int>(starts_.size()) - 1; }
  Index rows() const;
  Index count(int rank) const;
  /// Where the rows of a rank begin; 0 where it has none.
  Index first_of(int rank) const;

  /// By rank, then as they stand in memory. None is empty, and those that could be one are one.
  std::span<const Piece> pieces() const { return pieces_; }
  std::span<const Piece> pieces_of(int rank) const {
    return pieces().subspan(starts_[rank], starts_[rank + 1] - starts_[rank]);
  }

  bool operator==(const Layout&) const = default;

 private:
  std::vector<Piece> pieces_;
  std::vector<std::size_t> starts_ = {0, 0};  // of the pieces of each rank, and the end
};

/// Throws Fault::internal unless so many rows stand in one process in canonical order, as those
/// expect that have no layout of their own. `what` are the vectors.
void require_whole(const Layout& layout, Index rows, std::string_view what);

}  // namespace cisolve::base

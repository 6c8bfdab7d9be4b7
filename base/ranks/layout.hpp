#pragma once

#include <span>
#include <vector>

#include "base/ranks/communicator.hpp"
#include "base/types.hpp"

namespace cisolve::base {

/// Distribution of the rows of vectors over ranks. Rows have a canonical order, used by files,
/// analyses and random vectors; pieces of adjacent rows, such as blocks of a symmetry or of
/// strings, are assigned to ranks in any order. A rank may have none.
class Layout {
 public:
  /// Rows first to first + count of the canonical order, stored contiguously on a rank from its
  /// local row `at` on.
  struct Piece {
    int rank = 0;
    Index first = 0;
    Index count = 0;
    Index at = 0;

    bool operator==(const Piece&) const = default;
  };

  /// Empty: unspecified.
  Layout() = default;

  /// All rows in one process, in canonical order.
  static Layout whole(Index rows);

  /// counts[r] rows on rank r, in canonical order.
  static Layout of_counts(std::span<const Index> counts);

  /// Pieces of a rank are stored in the given order; `at` is ignored. Throws ErrorKind::usage
  /// unless each row is in exactly one piece.
  static Layout of_pieces(int ranks, std::span<const Piece> pieces);

  /// Even distribution: counts differ by at most one row.
  static Layout even(Index rows, int ranks);

  /// Canonical layout with `mine` rows on this rank. Collective.
  static Layout gathered(const Communicator& ranks, Index mine);

  int ranks() const { return static_cast<int>(starts_.size()) - 1; }
  Index rows() const;
  Index count(int rank) const;
  /// First canonical row of a rank; 0 if it has none.
  Index first_of(int rank) const;

  /// Ordered by rank and local position; none empty, adjacent ones merged.
  std::span<const Piece> pieces() const { return pieces_; }
  std::span<const Piece> pieces_of(int rank) const {
    return pieces().subspan(starts_[rank], starts_[rank + 1] - starts_[rank]);
  }

  bool operator==(const Layout&) const = default;

 private:
  std::vector<Piece> pieces_;
  std::vector<std::size_t> starts_ = {0, 0};  // first piece of each rank, and the end
};

/// Throws ErrorKind::internal unless `rows` rows are in one process in canonical order. `what`
/// names the vectors.
void require_whole(const Layout& layout, Index rows, std::string_view what);

}  // namespace cisolve::base

#include "base/ranks/layout.hpp"

#include <algorithm>

namespace cisolve::base {
namespace {

/// Throws unless the pieces cover the canonical order without gaps or overlaps.
void require_each_once(std::vector<Layout::Piece> pieces) {
  std::ranges::sort(pieces, {}, &Layout::Piece::first);
  Index next = 0;
  for (const Layout::Piece& piece : pieces) {
    if (piece.first != next)
      fail(ErrorKind::usage, "a piece of a layout begins with row ", piece.first,
           " instead of row ", next, "; expected each row in exactly one piece");
    next += piece.count;
  }
}

}  // namespace

Layout Layout::of_pieces(int ranks, std::span<const Piece> pieces) {
  for (const Piece& piece : pieces)
    if (piece.count != 0 && (piece.rank < 0 || piece.rank >= ranks || piece.count < 0))
      fail(ErrorKind::usage, "a piece of a layout has ", piece.count, " rows on rank ", piece.rank,
           " of ", ranks, "; expected 0 or more rows on an existing rank");
  Layout layout;
  layout.starts_.assign(1, 0);
  for (int rank = 0; rank < ranks; ++rank) {
    Index at = 0;
    for (const Piece& piece : pieces) {
      if (piece.rank != rank || piece.count == 0) continue;
      auto& mine = layout.pieces_;
      if (at > 0 && mine.back().first + mine.back().count == piece.first)
        mine.back().count += piece.count;
      else
        mine.push_back({rank, piece.first, piece.count, at});
      at += piece.count;
    }
    layout.starts_.push_back(layout.pieces_.size());
  }
  require_each_once(layout.pieces_);
  return layout;
}

Layout Layout::of_counts(std::span<const Index> counts) {
  std::vector<Piece> pieces;
  Index next = 0;
  for (const Index count : counts) {
    pieces.push_back({static_cast<int>(pieces.size()), next, count});
    next += count;
  }
  return of_pieces(static_cast<int>(counts.size()), pieces);
}

Layout Layout::whole(Index rows) { return of_counts({&rows, 1}); }

Layout Layout::even(Index rows, int ranks) {
  std::vector<Index> counts(ranks);
  for (int r = 0; r < ranks; ++r) counts[r] = rows / ranks + (r < rows % ranks ? 1 : 0);
  return of_counts(counts);
}

Layout Layout::gathered(const Communicator& ranks, Index mine) {
  std::vector<double> counts(ranks.size());
  counts[ranks.rank()] = static_cast<double>(mine);
  ranks.sum(counts);
  return of_counts(std::vector<Index>(counts.begin(), counts.end()));
}

Index Layout::rows() const {
  Index rows = 0;
  for (const Piece& piece : pieces_) rows += piece.count;
  return rows;
}

Index Layout::count(int rank) const {
  const auto mine = pieces_of(rank);
  return mine.empty() ? 0 : mine.back().at + mine.back().count;
}

Index Layout::first_of(int rank) const {
  const auto mine = pieces_of(rank);
  return mine.empty() ? 0 : mine.front().first;
}

void require_whole(const Layout& layout, Index rows, std::string_view what) {
  if (layout != Layout::whole(rows))
    fail(ErrorKind::internal, what, ": ", layout.rows(), " rows in ", layout.pieces().size(),
         " pieces on ", layout.ranks(), " ranks; expected ", rows,
         " rows in canonical order in one process");
}

}  // namespace cisolve::base

#include "base/ranks/whole_vectors.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ranks/agreement.hpp"

namespace cisolve::base {

MultiVector whole_vectors(const Communicator& ranks, const Layout& layout, MultiVector mine) {
  const Backend host = mine.backend().host();
  const Index rows = layout.rows();
  agree(ranks, [&] {
    if (layout.ranks() != ranks.size() || layout.count(ranks.rank()) != mine.rows())
      fail(Fault::usage, mine.rows(), " rows on one of ", ranks.size(), " ranks for a layout of ",
           rows, " rows on ", layout.ranks());
  });
  if (layout == Layout::whole(rows))
    return mine.backend().is_host() ? std::move(mine) : mine.to(host);

  const bool is_first = ranks.rank() == 0;
  std::optional<MultiVector> whole;
  std::optional<Array<double>> column;  // of this rank
  std::optional<Array<double>> pieces;  // of all
  agree(ranks, [&] {
    whole.emplace(host, is_first ? rows : 0, mine.columns(), "vectors of all ranks");
    column.emplace(host, mine.rows(), "a vector of a rank");
    pieces.emplace(host, is_first ? rows : 0, "a vector in pieces");
  });
  std::vector<Index> sent(ranks.size());
  std::vector<Index> received(ranks.size());
  sent[0] = mine.rows();
  for (int r = 0; r < ranks.size(); ++r) received[r] = is_first ? layout.count(r) : 0;
  for (int j = 0; j < mine.columns(); ++j) {
    copy_bytes(mine.backend(), std::as_const(mine).block().column(j), host, column->data(),
               column->bytes());
    ranks.exchange(column->span(), sent, pieces->span(), received);
    if (!is_first) continue;
    const double* next = pieces->data();
    for (const Layout::Piece& piece : layout.pieces()) {
      std::copy_n(next, piece.count, whole->block().column(j) + piece.first);
      next += piece.count;
    }
  }
  return std::move(*whole);
}

MultiVector shared_vectors(const Communicator& ranks, const Layout& layout, MultiVector whole) {
  const Backend host = whole.backend().host();
  const Index rows = layout.rows();
  const bool is_first = ranks.rank() == 0;
  const auto columns = static_cast<int>(ranks.maximum(is_first ? whole.columns() : 0));
  agree(ranks, [&] {
    if (layout.ranks() != ranks.size() || whole.rows() != (is_first ? rows : 0))
      fail(Fault::usage, whole.rows(), " rows on one of ", ranks.size(), " ranks for a layout of ",
           rows, " rows on ", layout.ranks());
  });
  if (layout == Layout::whole(rows)) return whole;

  std::optional<MultiVector> mine;
  std::optional<Array<double>> pieces;
  agree(ranks, [&] {
    mine.emplace(host, layout.count(ranks.rank()), columns, "vectors of a rank");
    pieces.emplace(host, is_first ? rows : 0, "a vector in pieces");
  });
  std::vector<Index> sent(ranks.size());
  std::vector<Index> received(ranks.size());
  for (int r = 0; r < ranks.size(); ++r) sent[r] = is_first ? layout.count(r) : 0;
  received[0] = mine->rows();
  for (int j = 0; j < columns; ++j) {
    double* next = pieces->data();
    if (is_first)
      for (const Layout::Piece& piece : layout.pieces())
        next = std::copy_n(whole.block().column(j) + piece.first, piece.count, next);
    ranks.exchange(pieces->span(), sent,
                   {mine->block().column(j), static_cast<std::size_t>(mine->rows())}, received);
  }
  return std::move(*mine);
}

// Piece by piece where it is to stand, so that nothing else needs room.
void everywhere(const Communicator& ranks, const Layout& layout, const double* mine,
                double* whole) {
  for (const Layout::Piece& piece : layout.pieces()) {
    if (piece.rank == ranks.rank()) std::copy_n(mine + piece.at, piece.count, whole + piece.first);
    ranks.broadcast({whole + piece.first, static_cast<std::size_t>(piece.count)}, piece.rank);
  }
}

}  // namespace cisolve::base

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

}  // namespace cisolve::base

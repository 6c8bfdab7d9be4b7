#include "base/ranks/whole_vectors.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/array.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/ranks/vector_exchange.hpp"

namespace cisolve::base {
namespace {

constexpr auto kWhole = "vectors of all ranks";

/// Rows of a rank's column; null on ranks that do not access them.
template <class T>
struct Part {
  T* column;
  Index first;

  std::span<T> of(Index count) const { return {column + first, static_cast<std::size_t>(count)}; }
  Part after(Index rows) const { return {column, first + rows}; }
};

/// Sends rows from one rank directly to their place on another.
void move_part(const VectorExchange& vectors, int from, int to, Part<const double> source,
               Part<double> target, Index count) {
  const Communicator& ranks = vectors.ranks();
  const bool sends = ranks.rank() == from;
  const bool receives = ranks.rank() == to;
  if (from == to) {
    if (sends)
      copy_bytes(vectors.backend(), source.of(count).data(), vectors.backend(),
                 target.of(count).data(), count * Index{sizeof(double)});
    return;
  }
  std::vector<Index> sent(ranks.size());
  std::vector<Index> received(ranks.size());
  if (sends) sent[to] = count;
  if (receives) received[from] = count;
  vectors.exchange(sends ? source.of(count) : std::span<const double>(), sent,
                   receives ? target.of(count) : std::span<double>(), received);
}

/// Like move_part(), but in transfers of limited size, so that little other memory is needed.
void move_piece(const VectorExchange& vectors, int from, int to, Part<const double> source,
                Part<double> target, Index count) {
  const Index most = vectors.most_at_once();
  for (Index at = 0; at < count; at += most)
    move_part(vectors, from, to, source.after(at), target.after(at), std::min(most, count - at));
}

/// Null if this rank lacks the whole vectors.
template <class T>
T* column_of(BasicBlock<T> whole, int j) {
  return whole.data == nullptr ? nullptr : whole.column(j);
}

enum class RowsOn { first_rank, all_ranks };

void require_layout(const Communicator& ranks, const Layout& layout, Index rows, RowsOn rows_on) {
  const auto expected = [&] {
    if (rows_on == RowsOn::all_ranks) return layout.count(ranks.rank());
    return ranks.rank() == 0 ? layout.rows() : 0;
  };
  run_collectively(ranks, [&] {
    if (layout.ranks() != ranks.size() || rows != expected())
      fail(ErrorKind::usage, rows, " rows on one of ", ranks.size(), " ranks for a layout of ",
           layout.rows(), " rows on ", layout.ranks());
  });
}

MultiVector whole_in(const Backend& backend, const Communicator& ranks, const Layout& layout,
                     const MultiVector& mine) {
  const VectorExchange vectors(ranks, backend);
  std::optional<MultiVector> whole;
  std::optional<MultiVector> column;  // staged column of this rank
  const bool is_elsewhere = !mine.backend().is_host() && backend.is_host();
  run_collectively(ranks, [&] {
    whole.emplace(backend, ranks.rank() == 0 ? layout.rows() : 0, mine.columns(), kWhole);
    if (is_elsewhere) column.emplace(backend, mine.rows(), 1, "a vector of a rank");
  });
  for (int j = 0; j < mine.columns(); ++j) {
    if (is_elsewhere)
      copy_bytes(mine.backend(), mine.block().column(j), backend, column->block().column(0),
                 mine.rows() * Index{sizeof(double)});
    gather(vectors, layout, is_elsewhere ? std::as_const(*column).block() : mine.block(j, 1),
           whole->block(j, 1));
  }
  return std::move(*whole);
}

}  // namespace

void gather(const VectorExchange& vectors, const Layout& layout, ConstBlock mine, Block whole) {
  for (int j = 0; j < mine.columns; ++j)
    for (const Layout::Piece& piece : layout.pieces())
      move_piece(vectors, piece.rank, 0, {mine.column(j), piece.at},
                 {column_of(whole, j), piece.first}, piece.count);
}

void scatter(const VectorExchange& vectors, const Layout& layout, ConstBlock whole, Block mine) {
  for (int j = 0; j < mine.columns; ++j)
    for (const Layout::Piece& piece : layout.pieces())
      move_piece(vectors, 0, piece.rank, {column_of(whole, j), piece.first},
                 {mine.column(j), piece.at}, piece.count);
}

namespace {

constexpr Index kThroughDevice = Index{1} << 22;  // numbers at once: 32 MiB

/// Rows of a column in transfer between a rank and rank 0's host.
struct TransferPiece {
  int column;
  int rank;
  Index mine;   // first local row on the rank
  Index whole;  // first canonical row
  Index count;
  double* staging;  // memory on the first device
};

template <class Visit>
void for_each_transfer_piece(const VectorExchange& vectors, const Layout& layout, int columns,
                             Visit visit) {
  const Index most = std::min(vectors.most_at_once(), kThroughDevice);
  const Communicator& ranks = vectors.ranks();
  std::optional<Array<double>> staging;
  run_collectively(
      ranks, [&] { staging.emplace(vectors.backend(), ranks.rank() == 0 ? most : 0, kWhole); });
  for (int j = 0; j < columns; ++j)
    for (const Layout::Piece& piece : layout.pieces())
      for (Index at = 0; at < piece.count; at += most)
        visit(TransferPiece{j, piece.rank, piece.at + at, piece.first + at,
                            std::min(most, piece.count - at), staging->data()});
}

}  // namespace

void gather_to_host(const VectorExchange& vectors, const Layout& layout, ConstBlock mine,
                    Block whole) {
  const Backend& backend = vectors.backend();
  for_each_transfer_piece(vectors, layout, mine.columns, [&](const TransferPiece& some) {
    move_part(vectors, some.rank, 0, {mine.column(some.column), some.mine}, {some.staging, 0},
              some.count);
    if (vectors.ranks().rank() == 0)
      copy_bytes(backend, some.staging, backend.host(), whole.column(some.column) + some.whole,
                 some.count * Index{sizeof(double)});
  });
}

void scatter_from_host(const VectorExchange& vectors, const Layout& layout, ConstBlock whole,
                       Block mine) {
  const Backend& backend = vectors.backend();
  for_each_transfer_piece(vectors, layout, mine.columns, [&](const TransferPiece& some) {
    if (vectors.ranks().rank() == 0)
      copy_bytes(backend.host(), whole.column(some.column) + some.whole, backend, some.staging,
                 some.count * Index{sizeof(double)});
    move_part(vectors, 0, some.rank, {some.staging, 0}, {mine.column(some.column), some.mine},
              some.count);
  });
}

MultiVector whole_vectors(const Communicator& ranks, const Layout& layout, MultiVector mine) {
  const Backend host = mine.backend().host();
  require_layout(ranks, layout, mine.rows(), RowsOn::all_ranks);
  if (layout != Layout::whole(layout.rows())) return whole_in(host, ranks, layout, mine);
  return mine.backend().is_host() ? std::move(mine) : mine.to(host);
}

MultiVector whole_on_backend_or_host(const Communicator& ranks, const Layout& layout,
                                     MultiVector mine) {
  if (ranks.size() == 1) return mine;
  require_layout(ranks, layout, mine.rows(), RowsOn::all_ranks);
  try {
    return whole_in(mine.backend(), ranks, layout, mine);
  } catch (const DeviceMemoryError&) {
    return whole_vectors(ranks, layout, std::move(mine));
  }
}

MultiVector distributed_vectors(const Communicator& ranks, const Layout& layout,
                                MultiVector whole) {
  const Backend host = whole.backend().host();
  const bool is_first = ranks.rank() == 0;
  const auto columns = static_cast<int>(ranks.maximum(is_first ? whole.columns() : 0));
  require_layout(ranks, layout, whole.rows(), RowsOn::first_rank);
  if (layout == Layout::whole(layout.rows())) return whole;

  const VectorExchange vectors(ranks, host);
  std::optional<MultiVector> mine;
  run_collectively(ranks, [&] { mine.emplace(host, layout.count(ranks.rank()), columns, kWhole); });
  scatter(vectors, layout,
          is_first ? std::as_const(whole).block() : ConstBlock{nullptr, 0, columns, 0},
          mine->block());
  return std::move(*mine);
}

}  // namespace cisolve::base

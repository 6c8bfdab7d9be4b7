#include "sparse/distributed/fetched_rows.hpp"

#include <algorithm>

#include "base/multivector.hpp"
#include "base/ranks/collective_errors.hpp"

namespace cisolve::sparse {
namespace {

using base::Index;

constexpr auto kMemoryLabel = "rows of x exchanged between ranks";

Index first_row(const base::Layout& layout, int rank) {
  const auto pieces = layout.pieces_of(rank);
  return pieces.empty() ? 0 : pieces.front().first;
}

/// Exchanges integers as doubles, which are exact up to 2^53.
std::vector<Index> exchanged(const base::Communicator& ranks, const std::vector<Index>& values,
                             const std::vector<Index>& to, const std::vector<Index>& from) {
  Index count = 0;
  for (const Index part : from) count += part;
  const std::vector<double> send(values.begin(), values.end());
  std::vector<double> receive(count);
  ranks.exchange(send, to, receive, from);
  return {receive.begin(), receive.end()};
}

std::vector<Index> times(std::vector<Index> counts, Index factor) {
  for (Index& count : counts) count *= factor;
  return counts;
}

}  // namespace

FetchedRows::FetchedRows(const base::Communicator& ranks, const base::Layout& layout,
                         std::vector<Index> needed, const base::Backend& host)
    : ranks_(ranks),
      needed_(std::move(needed)),
      needed_from_(ranks.size()),
      numbers_(host.host_memory(), 0, kMemoryLabel),
      send_(host, 0, kMemoryLabel),
      receive_(host, 0, kMemoryLabel) {
  for (int r = 0; r < ranks.size(); ++r) {
    const Index first = first_row(layout, r);
    const auto begin = std::ranges::lower_bound(needed_, first);
    needed_from_[r] = std::ranges::lower_bound(needed_, first + layout.count(r)) - begin;
  }
  const std::vector<Index> one(ranks.size(), 1);
  sent_to_ = exchanged(ranks, needed_from_, one, one);
  sent_rows_ = exchanged(ranks, needed_, needed_from_, sent_to_);
  for (Index& row : sent_rows_) row -= first_row(layout, ranks.rank());
  const Index given = std::ssize(sent_rows_);
  // A product needs the fetched rows twice, and the rank's own rows.
  const Index numbers = layout.count(ranks.rank()) + 2 * count() + given;
  columns_ = static_cast<int>(ranks.minimum(base::preallocated_columns(host, numbers)));
  base::run_collectively(ranks, [&] {
    numbers_ = base::Reservation(host.host_memory(), bytes(), kMemoryLabel);
    send_ = base::Array<double>(host, columns_ * given, kMemoryLabel);
    receive_ = base::Array<double>(host, columns_ * count(), kMemoryLabel);
  });
}

Index FetchedRows::bytes() const {
  return static_cast<Index>((needed_.size() + sent_rows_.size()) * sizeof(Index));
}

void FetchedRows::fetch(base::ConstBlock own, base::Block fetched) const {
  double* place = send_.data();
  Index first = 0;
  for (const Index count : sent_to_) {
    for (int j = 0; j < own.columns; ++j)
      for (Index i = first; i < first + count; ++i) *place++ = own(sent_rows_[i], j);
    first += count;
  }
  const std::span<double> received =
      receive_.span().first(static_cast<std::size_t>(count() * own.columns));
  ranks_.exchange({send_.data(), place}, times(sent_to_, own.columns), received,
                  times(needed_from_, own.columns));
  const double* next = received.data();
  Index at = 0;
  for (const Index count : needed_from_) {
    for (int j = 0; j < own.columns; ++j, next += count)
      std::copy_n(next, count, fetched.column(j) + at);
    at += count;
  }
}

}  // namespace cisolve::sparse

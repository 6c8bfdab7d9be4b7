#include "ci/hamiltonian/parity/flip_exchange.hpp"

#include <algorithm>

#include "base/loops.hpp"
#include "ci/hamiltonian/parity/flip_shares.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kWhatFlips = "rows that ranks exchange";
constexpr Index kFlipGrain = 16;       // alpha strings, whose rows are written side by side
constexpr Index kNormGrain = 1 << 14;  // rows

}  // namespace

FlipWays::FlipWays(const base::Communicator& ranks, const SpinFlip& flip,
                   const DealtStrings& strings, std::span<const Index> first_row)
    : rank_(ranks.rank()),
      rows_(strings.layout().count(rank_)),
      sent_counts_(ranks.size()),
      received_counts_(ranks.size()) {
  const SpinFlipView view = flip.view();
  for (int i = 0; i < view.count; ++i) {
    const SpinFlipView::Block& block = view.blocks[i];
    const std::size_t from =
        add_strings(view.rows + block.alphas, block.height, strings, first_row);
    if (block.alphas == block.betas) {
      add_way(from, from);
      continue;
    }
    const std::size_t to = add_strings(view.rows + block.betas, block.width, strings, first_row);
    add_way(from, to);
    add_way(to, from);
  }
  place_ways();
}

std::size_t FlipWays::add_strings(const Index* rows, Index count, const DealtStrings& strings,
                                  std::span<const Index> first_row) {
  Strings found{.of_rank = std::vector<std::vector<Index>>(ranks()), .places = {}};
  for (Index i = 0; i < count; ++i) {
    const Index string = string_of_row(first_row, rows[i]);
    const int rank = strings.rank_of(string);
    found.of_rank[rank].push_back(i);
    if (rank == rank_) found.places.push_back(strings.place_of(string));
  }
  strings_.push_back(std::move(found));
  return strings_.size() - 1;
}

void FlipWays::add_way(std::size_t from, std::size_t to) {
  Way way{from, to, {}, {}};
  for (int r = 0; r < ranks(); ++r) {
    way.sent_at.push_back(sent_counts_[r]);
    way.received_at.push_back(received_counts_[r]);
    sent_counts_[r] += mine(from) * std::ssize(strings_[to].of_rank[r]);
    received_counts_[r] += std::ssize(strings_[from].of_rank[r]) * mine(to);
  }
  ways_.push_back(std::move(way));
}

/// What goes to a rank stands behind what goes to those before it.
void FlipWays::place_ways() {
  for (Way& way : ways_) {
    Index sent = 0;
    Index received = 0;
    for (int r = 0; r < ranks(); ++r) {
      way.sent_at[r] += sent;
      way.received_at[r] += received;
      sent += sent_counts_[r];
      received += received_counts_[r];
    }
  }
}

FlipExchange::FlipExchange(const base::Communicator& ranks, const SpinFlip& flip,
                           const DealtStrings& strings, std::span<const Index> first_row,
                           const base::Backend& host)
    : ranks_(ranks),
      host_(host),
      ways_(ranks, flip, strings, first_row),
      flipped_(host, ways_.rows(), kWhatFlips) {}

void FlipExchange::send(const FlipWays::Way& way, const double* x, double* sent) const {
  const FlipWays::Strings& from = ways_.strings()[way.from];
  base::for_each_chunk(std::ssize(from.places), kFlipGrain, host_, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      for (int r = 0; r < ranks_.size(); ++r) {
        const std::vector<Index>& columns = ways_.strings()[way.to].of_rank[r];
        double* to = sent + way.sent_at[r] + i * std::ssize(columns);
        for (const Index column : columns) *to++ = x[from.places[i] + column];
      }
  });
}

void FlipExchange::receive(const FlipWays::Way& way, const double* received) const {
  const FlipWays::Strings& to = ways_.strings()[way.to];
  base::for_each_chunk(std::ssize(to.places), kFlipGrain, host_, [&](Index first, Index last) {
    for (int r = 0; r < ranks_.size(); ++r) {
      const double* from = received + way.received_at[r];
      for (const Index column : ways_.strings()[way.from].of_rank[r]) {
        for (Index i = first; i < last; ++i) flipped_[to.places[i] + column] = from[i];
        from += std::ssize(to.places);
      }
    }
  });
}

void FlipExchange::fetch(const double* x, double* room) const {
  const auto rows = static_cast<std::size_t>(ways_.rows());
  const std::span<double> sent(room, rows);
  const std::span<double> received(room + rows, rows);
  for (const FlipWays::Way& way : ways_.ways()) send(way, x, sent.data());
  ranks_.exchange(sent, ways_.sent_counts(), received, ways_.received_counts());
  for (const FlipWays::Way& way : ways_.ways()) receive(way, received.data());
}

// Every pair of rows that are each other's flips is met twice, those that are their own once.
ParityNorms FlipExchange::norms_of(const double* x, double* room) const {
  fetch(x, room);
  const Index rows = flipped_.size();
  std::vector<ParityNorms> norms((rows + kNormGrain - 1) / kNormGrain);
  base::for_each_chunk(rows, kNormGrain, host_, [&](Index first, Index last) {
    ParityNorms& sum = norms[first / kNormGrain];
    for (Index row = first; row < last; ++row) {
      const double there = flipped_[row];
      sum.even += (x[row] + there) * (x[row] + there);
      sum.odd += (x[row] - there) * (x[row] - there);
    }
  });
  double all[2] = {};
  for (const ParityNorms& part : norms) {
    all[0] += part.even;
    all[1] += part.odd;
  }
  ranks_.sum(all);
  return {all[0], all[1]};
}

void FlipExchange::add_flipped(Parity parity, double factor, double* y, double* room) const {
  fetch(y, room);
  const double sign = parity == Parity::even ? 1 : -1;
  base::for_each_chunk(flipped_.size(), kNormGrain, host_, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) y[row] = factor * (y[row] + sign * flipped_[row]);
  });
}

}  // namespace cisolve::ci

#include "ci/hamiltonian/parity/swap_exchange.hpp"

#include <algorithm>

#include "base/loops.hpp"
#include "ci/hamiltonian/parity/swap_partition.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kSwappedLabel = "rows exchanged between ranks";
constexpr Index kSwapGrain = 16;       // alpha strings whose rows are written together
constexpr Index kNormGrain = 1 << 14;  // rows

}  // namespace

SwapRoutes::SwapRoutes(const base::Communicator& ranks, const AlphaBetaSwap& swap,
                       const StringPartition& strings, std::span<const Index> first_row)
    : rank_(ranks.rank()),
      rows_(strings.layout().count(rank_)),
      sent_counts_(ranks.size()),
      received_counts_(ranks.size()) {
  const AlphaBetaSwapView view = swap.view();
  for (int i = 0; i < view.count; ++i) {
    const AlphaBetaSwapView::Block& block = view.blocks[i];
    const std::size_t from =
        add_strings(view.rows + block.alphas, block.height, strings, first_row);
    if (block.alphas == block.betas) {
      add_route(from, from);
      continue;
    }
    const std::size_t to = add_strings(view.rows + block.betas, block.width, strings, first_row);
    add_route(from, to);
    add_route(to, from);
  }
  place_routes();
}

std::size_t SwapRoutes::add_strings(const Index* rows, Index count, const StringPartition& strings,
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

void SwapRoutes::add_route(std::size_t from, std::size_t to) {
  Route route{from, to, {}, {}};
  for (int r = 0; r < ranks(); ++r) {
    route.sent_at.push_back(sent_counts_[r]);
    route.received_at.push_back(received_counts_[r]);
    sent_counts_[r] += mine(from) * std::ssize(strings_[to].of_rank[r]);
    received_counts_[r] += std::ssize(strings_[from].of_rank[r]) * mine(to);
  }
  routes_.push_back(std::move(route));
}

/// Elements are ordered by rank, in both buffers.
void SwapRoutes::place_routes() {
  for (Route& route : routes_) {
    Index sent = 0;
    Index received = 0;
    for (int r = 0; r < ranks(); ++r) {
      route.sent_at[r] += sent;
      route.received_at[r] += received;
      sent += sent_counts_[r];
      received += received_counts_[r];
    }
  }
}

SwapExchange::SwapExchange(const base::Communicator& ranks, const AlphaBetaSwap& swap,
                           const StringPartition& strings, std::span<const Index> first_row,
                           const base::Backend& host)
    : ranks_(ranks),
      host_(host),
      routes_(ranks, swap, strings, first_row),
      swapped_(host, routes_.rows(), kSwappedLabel) {}

void SwapExchange::send(const SwapRoutes::Route& route, const double* x, double* sent) const {
  const SwapRoutes::Strings& from = routes_.strings()[route.from];
  base::for_each_chunk(std::ssize(from.places), kSwapGrain, host_, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      for (int r = 0; r < ranks_.size(); ++r) {
        const std::vector<Index>& columns = routes_.strings()[route.to].of_rank[r];
        double* to = sent + route.sent_at[r] + i * std::ssize(columns);
        for (const Index column : columns) *to++ = x[from.places[i] + column];
      }
  });
}

void SwapExchange::receive(const SwapRoutes::Route& route, const double* received) const {
  const SwapRoutes::Strings& to = routes_.strings()[route.to];
  base::for_each_chunk(std::ssize(to.places), kSwapGrain, host_, [&](Index first, Index last) {
    for (int r = 0; r < ranks_.size(); ++r) {
      const double* from = received + route.received_at[r];
      for (const Index column : routes_.strings()[route.from].of_rank[r]) {
        for (Index i = first; i < last; ++i) swapped_[to.places[i] + column] = from[i];
        from += std::ssize(to.places);
      }
    }
  });
}

void SwapExchange::fetch(const double* x, double* buffer) const {
  const auto rows = static_cast<std::size_t>(routes_.rows());
  const std::span<double> sent(buffer, rows);
  const std::span<double> received(buffer + rows, rows);
  for (const SwapRoutes::Route& route : routes_.routes()) send(route, x, sent.data());
  ranks_.exchange(sent, routes_.sent_counts(), received, routes_.received_counts());
  for (const SwapRoutes::Route& route : routes_.routes()) receive(route, received.data());
}

// The norms count both rows of a swapped pair, so that both factors of ParityNorms are 4.
ParityNorms SwapExchange::norms_of(const double* x, double* buffer) const {
  fetch(x, buffer);
  const Index rows = swapped_.size();
  std::vector<ParityNorms> norms((rows + kNormGrain - 1) / kNormGrain);
  base::for_each_chunk(rows, kNormGrain, host_, [&](Index first, Index last) {
    ParityNorms& sum = norms[first / kNormGrain];
    for (Index row = first; row < last; ++row) {
      const double there = swapped_[row];
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

void SwapExchange::add_swapped(Parity parity, double factor, double* y, double* buffer) const {
  fetch(y, buffer);
  const double sign = parity == Parity::even ? 1 : -1;
  base::for_each_chunk(swapped_.size(), kNormGrain, host_, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) y[row] = factor * (y[row] + sign * swapped_[row]);
  });
}

}  // namespace cisolve::ci

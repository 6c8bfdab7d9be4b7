#include "ci/hamiltonian/parity/swap_partition.hpp"

#include <algorithm>
#include <numeric>

namespace cisolve::ci {
namespace {

Index sum_of(std::span<const Index> counts) {
  return std::accumulate(counts.begin(), counts.end(), Index{0});
}

// Receive buffer for other ranks' coefficients: a quarter of a whole vector, which also holds the
// exchange of images between two ranks, so that it can run in phases; if a quarter is more than
// kMostOfShare elements, kMostStaged.
constexpr Index kStagedShare = 4;
constexpr Index kMostOfShare = Index{1} << 26;  // 512 MiB
constexpr Index kMostStaged = Index{1} << 25;
constexpr Index kLeastStaged = Index{1} << 12;
/// Part of a rank's work on a list that is sent in the second phase.
constexpr double kLateShare = 1.0 / 16;

/// The number of staged elements: at least one string of each other rank.
Index staged_among(const AlphaBetaSwapView& view, const base::Layout& layout) {
  if (layout.ranks() == 1) return 0;
  return std::max(SwapPartition::staged_of(layout.rows()),
                  (layout.ranks() - 1) * longest_list(view));
}

/// Rows that an image has on every rank.
Index fewest_rows(const base::Layout& layout) {
  Index fewest = layout.rows();
  for (int r = 0; r < layout.ranks(); ++r) fewest = std::min(fewest, layout.count(r));
  return fewest;
}

Index rows_of(const AlphaBetaSwapView& view) {
  Index rows = 0;
  for (int block = 0; block < view.count; ++block) {
    const AlphaBetaSwapView::Block& b = view.blocks[block];
    rows += (b.alphas == b.betas ? 1 : 2) * b.height * b.width;
  }
  return rows;
}

}  // namespace

Index string_of_row(std::span<const Index> first_row, Index row) {
  return std::ranges::upper_bound(first_row, row) - first_row.begin() - 1;
}

Index longest_list(const AlphaBetaSwapView& view) {
  Index longest = 0;
  for (int block = 0; block < view.count; ++block)
    longest = std::max(longest, view.blocks[block].width);
  return longest;
}

Index SwapPartition::staged_of(Index rows) {
  const Index staged = rows / kStagedShare;
  return staged <= kMostOfShare ? std::max(staged, kLeastStaged) : kMostStaged;
}

SwapPartition::SwapPartition(const AlphaBetaSwap& swap)
    : layout_(base::Layout::whole(rows_of(swap.view()))) {
  const AlphaBetaSwapView view = swap.view();
  places_.assign(view.rows, view.rows + view.strings);
  distribute_strings(view, std::vector<int>(view.strings));
}

SwapPartition::SwapPartition(const AlphaBetaSwap& swap, const StringPartition& strings,
                             std::span<const Index> first_row, int rank, Schedule schedule)
    : rank_(rank), layout_(strings.layout()) {
  const AlphaBetaSwapView view = swap.view();
  std::vector<int> rank_of(view.strings);
  std::vector<double> work;
  for (Index i = 0; i < view.strings; ++i) {
    const Index string = string_of_row(first_row, view.rows[i]);
    rank_of[i] = strings.rank_of(string);
    places_.push_back(rank_of[i] == rank ? strings.place_of(string) : -1);
    if (schedule == Schedule::in_phases) work.push_back(strings.work_of(string));
  }
  distribute_strings(view, rank_of, work);
  for (int block = 0; block < view.count; ++block)
    for (const Run& run : betas(block))
      for (Index i = run.begin; i < run.end && run.rank == rank_ && run.phase > 0; ++i)
        late_.push_back(string_of_row(first_row, view.rows[view.blocks[block].betas + i]));
}

std::vector<SwapPartition::Run> SwapPartition::runs_of(std::span<const int> ranks_of_strings) {
  std::vector<Run> runs;
  for (Index i = 0; i < std::ssize(ranks_of_strings); ++i) {
    const int rank = ranks_of_strings[i];
    if (runs.empty() || runs.back().rank != rank) runs.push_back({rank, i, i});
    ++runs.back().end;
  }
  return runs;
}

/// Distributes the strings; in phases if `work` is not empty.
void SwapPartition::distribute_strings(const AlphaBetaSwapView& view, std::span<const int> rank_of,
                                       std::span<const double> work) {
  for (int block = 0; block < view.count; ++block) {
    const AlphaBetaSwapView::Block& b = view.blocks[block];
    lists_.push_back(
        {runs_of(rank_of.subspan(b.alphas, b.height)), runs_of(rank_of.subspan(b.betas, b.width))});
    for (const Run& run : alphas(block)) {
      if (run.rank != rank_) continue;
      const bool is_square = b.alphas == b.betas;
      // String i has i + 1 coefficients of one parity and i of the other.
      coefficients_ +=
          is_square ? run.end * run.end - run.begin * run.begin : 2 * run.count() * b.width;
    }
  }
  staged_ = staged_among(view, layout_);
  if (ranks() > 1) staged_in_image_ = std::max(staged_, fewest_rows(layout_));
  if (!work.empty() && fits_phases(view))
    for (int block = 0; block < view.count; ++block) {
      const AlphaBetaSwapView::Block& b = view.blocks[block];
      lists_[block].betas = in_phases(betas(block), work.subspan(b.betas, b.width));
    }
  place_routes(view);
}

bool SwapPartition::fits_phases(const AlphaBetaSwapView& view) const {
  std::vector<Index> exchanged(ranks());
  for_each_pair(view, [&](const Pair& pair) {
    exchanged[pair.rows.rank] += pair.numbers();
    exchanged[pair.columns.rank] += pair.numbers();
  });
  return ranks() > 1 && std::ranges::max(exchanged) <= staged_;
}

/// A rank's first strings have the least work in multiply_half(), so they are the late ones.
std::vector<SwapPartition::Run> SwapPartition::in_phases(std::span<const Run> runs,
                                                         std::span<const double> work) const {
  std::vector<double> late(ranks());
  for (const Run& run : runs)
    for (Index i = run.begin; i < run.end; ++i) late[run.rank] += kLateShare * work[i];
  std::vector<Run> parts;
  for (const Run& run : runs) {
    Index middle = run.begin;
    for (double& left = late[run.rank]; middle < run.end && left >= work[middle]; ++middle)
      left -= work[middle];
    late[run.rank] = middle < run.end ? 0 : late[run.rank];
    if (middle > run.begin) parts.push_back({run.rank, run.begin, middle, 1});
    if (middle < run.end) parts.push_back({run.rank, middle, run.end, 0});
  }
  return parts;
}

/// Pairs of runs of different ranks, the second of which needs the rows of the first in its own
/// columns. The order is the same on all ranks.
template <class Visit>
void SwapPartition::for_each_pair(const AlphaBetaSwapView& view, Visit visit) const {
  for (int block = 0; block < view.count; ++block) {
    const bool is_square = view.blocks[block].alphas == view.blocks[block].betas;
    for (const Run& columns : alphas(block))
      for (const Run& rows : betas(block))
        if (rows.rank != columns.rank && (!is_square || rows.begin < columns.begin))
          visit(Pair{block, rows, columns});
  }
}

void SwapPartition::place_routes(const AlphaBetaSwapView& view) {
  int phases = 1;
  for (const Lists& lists : lists_)
    for (const Run& run : lists.betas) phases = std::max(phases, run.phase + 1);
  phases_.resize(phases);
  for (int number = 0; number < phases; ++number) {
    Phase& phase = phases_[number];
    if (number > 0) {
      const Phase& before = phases_[number - 1];
      phase.sent_at = before.sent_at + sum_of(before.sent);
      phase.received_at = before.received_at + sum_of(before.received);
    }
    place_phase(view, number, phase);
  }
}

/// Elements are ordered by rank, in both buffers.
void SwapPartition::place_phase(const AlphaBetaSwapView& view, int number, Phase& phase) {
  phase.first = std::ssize(sent_);
  phase.sent.assign(ranks(), 0);
  phase.received.assign(ranks(), 0);
  const auto for_each_of_phase = [&](auto visit) {
    for_each_pair(view, [&](const Pair& pair) {
      if (pair.rows.phase == number) visit(pair);
    });
  };
  for_each_of_phase([&](const Pair& pair) {
    if (pair.rows.rank == rank_) phase.sent[pair.columns.rank] += pair.numbers();
    if (pair.columns.rank == rank_) phase.received[pair.rows.rank] += pair.numbers();
  });
  std::vector<Index> sent_at(ranks());
  std::vector<Index> received_at(ranks());
  std::exclusive_scan(phase.sent.begin(), phase.sent.end(), sent_at.begin(), phase.sent_at);
  std::exclusive_scan(phase.received.begin(), phase.received.end(), received_at.begin(),
                      phase.received_at);
  for_each_of_phase([&](const Pair& pair) {
    if (pair.rows.rank == rank_) {
      send(view, pair, sent_at[pair.columns.rank]);
      sent_at[pair.columns.rank] += pair.numbers();
    }
    if (pair.columns.rank != rank_) return;
    routes_.push_back({pair.block, pair.rows, pair.columns, received_at[pair.rows.rank]});
    received_at[pair.rows.rank] += pair.numbers();
  });
  phase.end = std::ssize(sent_);
}

void SwapPartition::send(const AlphaBetaSwapView& view, const Pair& pair, Index at) {
  const Index strings = view.blocks[pair.block].betas;
  for (Index j = pair.rows.begin; j < pair.rows.end; ++j, at += pair.columns.count())
    sent_.push_back({places_[strings + j] + pair.columns.begin, at, pair.columns.count()});
}

Index SwapPartition::sent_numbers() const {
  return phases_.back().sent_at + sum_of(phases_.back().sent);
}
Index SwapPartition::received_numbers() const {
  return phases_.back().received_at + sum_of(phases_.back().received);
}

void SwapPartition::send_phase(const base::VectorExchange& vectors, const Phase& phase,
                               double* workspace) const {
  const auto part = [](double* from, std::span<const Index> counts) {
    return std::span(from, static_cast<std::size_t>(sum_of(counts)));
  };
  vectors.exchange(part(workspace + phase.sent_at, phase.sent), phase.sent,
                   part(workspace + sent_numbers() + phase.received_at, phase.received),
                   phase.received);
}

}  // namespace cisolve::ci

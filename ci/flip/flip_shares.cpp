#include "ci/flip/flip_shares.hpp"

#include <algorithm>
#include <numeric>

namespace cisolve::ci {
namespace {

Index sum_of(std::span<const Index> counts) {
  return std::accumulate(counts.begin(), counts.end(), Index{0});
}

constexpr Index kMostStaged = Index{1} << 25;  // numbers: 256 MiB
constexpr Index kLeastStaged = Index{1} << 12;
constexpr Index kStagedShare = 8;  // of a whole vector

/// At least a string of each other rank.
Index staged_among(const SpinFlipView& view, const base::Layout& layout) {
  if (layout.ranks() == 1) return 0;
  return std::max(FlipShares::staged_of(layout.rows()), (layout.ranks() - 1) * longest_list(view));
}

/// What an image of any rank has room for.
Index fewest_rows(const base::Layout& layout) {
  Index fewest = layout.rows();
  for (int r = 0; r < layout.ranks(); ++r) fewest = std::min(fewest, layout.count(r));
  return fewest;
}

Index rows_of(const SpinFlipView& view) {
  Index rows = 0;
  for (int block = 0; block < view.count; ++block) {
    const SpinFlipView::Block& b = view.blocks[block];
    rows += (b.alphas == b.betas ? 1 : 2) * b.height * b.width;
  }
  return rows;
}

}  // namespace

Index string_of_row(std::span<const Index> first_row, Index row) {
  return std::ranges::upper_bound(first_row, row) - first_row.begin() - 1;
}

Index longest_list(const SpinFlipView& view) {
  Index longest = 0;
  for (int block = 0; block < view.count; ++block)
    longest = std::max(longest, view.blocks[block].width);
  return longest;
}

Index FlipShares::staged_of(Index rows) {
  return std::clamp(rows / kStagedShare, kLeastStaged, kMostStaged);
}

FlipShares::FlipShares(const SpinFlip& flip) : layout_(base::Layout::whole(rows_of(flip.view()))) {
  const SpinFlipView view = flip.view();
  places_.assign(view.rows, view.rows + view.strings);
  share_out(view, std::vector<int>(view.strings));
}

FlipShares::FlipShares(const SpinFlip& flip, const DealtStrings& strings,
                       std::span<const Index> first_row, int rank)
    : rank_(rank), layout_(strings.layout()) {
  const SpinFlipView view = flip.view();
  std::vector<int> rank_of(view.strings);
  for (Index i = 0; i < view.strings; ++i) {
    const Index string = string_of_row(first_row, view.rows[i]);
    rank_of[i] = strings.rank_of(string);
    places_.push_back(rank_of[i] == rank ? strings.place_of(string) : -1);
  }
  share_out(view, rank_of);
}

std::vector<FlipShares::Run> FlipShares::runs_of(std::span<const int> ranks_of_strings) {
  std::vector<Run> runs;
  for (Index i = 0; i < std::ssize(ranks_of_strings); ++i) {
    const int rank = ranks_of_strings[i];
    if (runs.empty() || runs.back().rank != rank) runs.push_back({rank, i, i});
    ++runs.back().end;
  }
  return runs;
}

void FlipShares::share_out(const SpinFlipView& view, std::span<const int> rank_of) {
  for (int block = 0; block < view.count; ++block) {
    const SpinFlipView::Block& b = view.blocks[block];
    lists_.push_back(
        {runs_of(rank_of.subspan(b.alphas, b.height)), runs_of(rank_of.subspan(b.betas, b.width))});
    for (const Run& run : alphas(block)) {
      if (run.rank != rank_) continue;
      const bool is_square = b.alphas == b.betas;
      // Of string i one parity has i + 1, the other i.
      halves_ += is_square ? run.end * run.end - run.begin * run.begin : 2 * run.count() * b.width;
    }
  }
  place_ways(view);
  staged_ = staged_among(view, layout_);
  if (ranks() > 1) staged_in_image_ = std::max(staged_, fewest_rows(layout_));
}

/// Runs of different ranks, of which what the first has in the columns of the second is wanted by
/// that: in an order that all ranks know.
template <class Visit>
void FlipShares::for_each_pair(const SpinFlipView& view, Visit visit) const {
  for (int block = 0; block < view.count; ++block) {
    const bool is_square = view.blocks[block].alphas == view.blocks[block].betas;
    for (const Run& columns : alphas(block))
      for (const Run& rows : betas(block))
        if (rows.rank != columns.rank && (!is_square || rows.begin < columns.begin))
          visit(Pair{block, rows, columns});
  }
}

/// What goes to a rank, or comes from one, stands behind what belongs to those before it.
void FlipShares::place_ways(const SpinFlipView& view) {
  sent_counts_.assign(ranks(), 0);
  received_counts_.assign(ranks(), 0);
  for_each_pair(view, [&](const Pair& pair) {
    if (pair.rows.rank == rank_) sent_counts_[pair.columns.rank] += pair.numbers();
    if (pair.columns.rank == rank_) received_counts_[pair.rows.rank] += pair.numbers();
  });
  std::vector<Index> sent_at(ranks());
  std::vector<Index> received_at(ranks());
  std::exclusive_scan(sent_counts_.begin(), sent_counts_.end(), sent_at.begin(), Index{0});
  std::exclusive_scan(received_counts_.begin(), received_counts_.end(), received_at.begin(),
                      Index{0});
  for_each_pair(view, [&](const Pair& pair) {
    if (pair.rows.rank == rank_) {
      send(view, pair, sent_at[pair.columns.rank]);
      sent_at[pair.columns.rank] += pair.numbers();
    }
    if (pair.columns.rank != rank_) return;
    ways_.push_back({pair.block, pair.rows, pair.columns, received_at[pair.rows.rank]});
    received_at[pair.rows.rank] += pair.numbers();
  });
}

void FlipShares::send(const SpinFlipView& view, const Pair& pair, Index at) {
  const Index strings = view.blocks[pair.block].betas;
  for (Index j = pair.rows.begin; j < pair.rows.end; ++j, at += pair.columns.count())
    sent_.push_back({places_[strings + j] + pair.columns.begin, at, pair.columns.count()});
}

Index FlipShares::sent_numbers() const { return sum_of(sent_counts_); }
Index FlipShares::received_numbers() const { return sum_of(received_counts_); }

}  // namespace cisolve::ci

#include "ci/fock/spaces/string_partition.hpp"

#include <algorithm>
#include <numeric>

namespace cisolve::ci {
namespace {

using base::Index;

/// Divides the strings into contiguous runs of about equal rows; returns the run of each string.
std::vector<int> runs_of(std::span<const Index> first_row, int runs) {
  const auto all = static_cast<double>(std::max<Index>(first_row.back(), 1));
  std::vector<int> run_of;
  for (std::size_t i = 0; i + 1 < first_row.size(); ++i) {
    const double middle = static_cast<double>(first_row[i] + first_row[i + 1]) / 2 / all;
    run_of.push_back(std::min(static_cast<int>(middle * runs), runs - 1));
  }
  return run_of;
}

/// Indices by descending value, ties ascending.
std::vector<int> largest_first(const std::vector<double>& of) {
  std::vector<int> order(of.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](int i) { return of[i]; });
  return order;
}

/// Assigns runs to ranks: in each round the least loaded rank gets the run with the most work.
std::vector<int> deal(const std::vector<double>& work, int ranks) {
  std::vector<int> rank_of(work.size());
  std::vector<double> has(ranks);
  const std::vector<int> runs = largest_first(work);
  for (auto next = runs.begin(); next != runs.end();) {
    const std::vector<int> order = largest_first(has);
    for (auto rank = order.rbegin(); rank != order.rend(); ++rank, ++next) {
      rank_of[*next] = *rank;
      has[*rank] += work[*next];
    }
  }
  return rank_of;
}

}  // namespace

StringPartition::StringPartition(std::span<const Index> first_row, std::span<const double> work,
                                 int ranks)
    : work_(work.begin(), work.end()) {
  std::vector<double> work_of(StringPartition::kRunsOfRank * ranks);
  const std::vector<int> run_of = runs_of(first_row, static_cast<int>(work_of.size()));
  for (std::size_t i = 0; i < work.size(); ++i) work_of[run_of[i]] += work[i];
  const std::vector<int> rank_of = deal(work_of, ranks);
  std::vector<base::Layout::Piece> pieces;
  std::vector<Index> rows(ranks);
  for (std::size_t i = 0; i < work.size(); ++i) {
    const int rank = rank_of[run_of[i]];
    const Index count = first_row[i + 1] - first_row[i];
    ranks_.push_back(rank);
    places_.push_back(rows[rank]);
    if (pieces.empty() || pieces.back().rank != rank) pieces.push_back({rank, first_row[i], 0});
    pieces.back().count += count;
    rows[rank] += count;
  }
  layout_ = base::Layout::of_pieces(ranks, pieces);
}

}  // namespace cisolve::ci

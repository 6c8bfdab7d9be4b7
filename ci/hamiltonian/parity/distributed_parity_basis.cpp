#include "ci/hamiltonian/parity/distributed_parity_basis.hpp"

#include <algorithm>

namespace cisolve::ci {
namespace {

/// Columns in which strings before `i_end` have coefficients.
Index columns_up_to(const AlphaBetaSwapView::Block& block, Index i_end) {
  return block.alphas == block.betas ? i_end : block.width;
}

}  // namespace

void ParityPatches::add(ParityPatch patch) {
  patch.first_tile = tiles;
  tiles += patch.tiles();
  all.push_back(patch);
}

DistributedParityBasis::DistributedParityBasis(const ParityBasis& basis,
                                               const SwapPartition& partition)
    : view_(basis.view()), parts_(partition.ranks()) {
  place(partition);
  rounds_ = divide(partition, partition.staged());
  rounds_in_image_ = divide(partition, partition.staged_in_image());
  place_contractions(partition);
  place_swap_elements(partition.rank());
}

Index DistributedParityBasis::numbers(int block, Index begin, Index end) const {
  return view_.at(block, end, 0) - view_.at(block, begin, 0);
}

void DistributedParityBasis::place(const SwapPartition& partition) {
  std::vector<base::Layout::Piece> pieces;
  std::vector<Index> counts(partition.ranks());
  for (int block = 0; block < view_.swaps.count; ++block)
    for (const SwapPartition::Run& run : partition.alphas(block)) {
      const Index count = numbers(block, run.begin, run.end);
      pieces.push_back({run.rank, view_.at(block, run.begin, 0), count});
      parts_[run.rank].push_back({block, run, counts[run.rank]});
      counts[run.rank] += count;
    }
  layout_ = base::Layout::of_pieces(partition.ranks(), pieces);
}

/// Coefficients of each rank in a round: the same for all ranks and about the same in all rounds.
Index DistributedParityBasis::most_of_round(const SwapPartition& partition, Index staged) const {
  if (partition.ranks() == 1) return layout_.rows();
  Index largest = 1;
  for (int r = 0; r < partition.ranks(); ++r) largest = std::max(largest, layout_.count(r));
  const Index most = staged / (partition.ranks() - 1);
  const Index rounds = (largest + most - 1) / most;
  return std::min(most, largest / rounds + longest_list(view_.swaps));
}

/// A round has whole strings, so that all of a string is sent at once.
std::vector<DistributedParityBasis::Round> DistributedParityBasis::divide(
    const SwapPartition& partition, Index staged) const {
  const Index most = most_of_round(partition, staged);
  std::vector<std::vector<Part>> left = parts_;
  std::vector<Round> rounds;
  while (std::ranges::any_of(left, [](const auto& parts) { return !parts.empty(); })) {
    Round round;
    std::vector<base::Layout::Piece> pieces;
    Index of_others = 0;
    for (int r = 0; r < partition.ranks(); ++r) {
      const bool is_here = r == partition.rank();
      const Index begin = left[r].empty() ? layout_.count(r) : left[r].front().at;
      if (is_here) round.begin = begin;
      const Index count = take(left[r], most, is_here, is_here ? 0 : of_others - begin,
                               is_here ? round.own : round.of_others);
      pieces.push_back({r, of_others, count});
      if (!is_here) of_others += count;
    }
    pieces[partition.rank()].first = of_others;
    round.layout = base::Layout::of_pieces(partition.ranks(), pieces);
    rounds.push_back(std::move(round));
  }
  return rounds;
}

/// Takes at least one string from the front of a rank's `parts`, at most `most` coefficients if
/// more than one; returns their number. `moved` is added to their positions on the rank.
Index DistributedParityBasis::take(std::vector<Part>& parts, Index most, bool is_here, Index moved,
                                   ParityPatches& patches) const {
  Index count = 0;
  for (bool is_full = false; !parts.empty() && !is_full;) {
    Part& part = parts.front();
    const Index begin = part.run.begin;
    Index end = count == 0 ? begin + 1 : begin;
    while (end < part.run.end && count + numbers(part.block, begin, end + 1) <= most) ++end;
    if (end > begin) {
      const AlphaBetaSwapView::Block& b = view_.swaps.blocks[part.block];
      patches.add({.block = part.block,
                   .is_here = is_here,
                   .i = begin,
                   .i_end = end,
                   .j = 0,
                   .j_end = columns_up_to(b, end),
                   .shift = moved + part.at - view_.at(part.block, begin, 0),
                   .swaps = 0,
                   .first_tile = 0});
      const Index taken = numbers(part.block, begin, end);
      count += taken;
      part.at += taken;
      part.run.begin = end;
    }
    is_full = end < part.run.end;
    if (!is_full) parts.erase(parts.begin());
  }
  return count;
}

void DistributedParityBasis::place_contractions(const SwapPartition& partition) {
  const int rank = partition.rank();
  const auto add = [&](const Part& part, const SwapPartition::Run& rows, bool is_here,
                       Index swaps) {
    const AlphaBetaSwapView::Block& b = view_.swaps.blocks[part.block];
    contractions_.add({.block = part.block,
                       .is_here = is_here,
                       .i = part.run.begin,
                       .i_end = part.run.end,
                       .j = rows.begin,
                       .j_end = std::min(rows.end, columns_up_to(b, part.run.end)),
                       .shift = part.at - view_.at(part.block, part.run.begin, 0),
                       .swaps = swaps,
                       .first_tile = 0});
  };
  for (const Part& part : parts_[rank]) {
    const AlphaBetaSwapView::Block& b = view_.swaps.blocks[part.block];
    for (const SwapPartition::Run& rows : partition.betas(part.block))
      if (rows.rank == rank && rows.begin < columns_up_to(b, part.run.end))
        add(part, rows, true, 0);
    for (const SwapPartition::Route& route : partition.routes())
      if (route.block == part.block && route.columns.begin == part.run.begin)
        add(part, route.rows, false, route.at);
  }
}

void DistributedParityBasis::place_swap_elements(int rank) {
  for (Index e = 0; e < view_.swaps.swap_element_count; ++e) {
    const AlphaBetaSwapView::SwapElement& element = view_.swaps.swap_elements[e];
    const auto has = [&](const Part& part) {
      return part.block == element.block && part.run.begin <= element.i && element.i < part.run.end;
    };
    const auto part = std::ranges::find_if(parts_[rank], has);
    if (part == parts_[rank].end()) continue;
    swap_elements_.push_back({view_.at(element.block, element.i, element.j) + part->at -
                                  view_.at(part->block, part->run.begin, 0),
                              element.value});
  }
}

}  // namespace cisolve::ci

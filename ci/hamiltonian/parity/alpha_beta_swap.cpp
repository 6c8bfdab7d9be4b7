#include "ci/hamiltonian/parity/alpha_beta_swap.hpp"

#include <algorithm>
#include <cmath>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

using Block = AlphaBetaSwapView::Block;
using SwapElement = AlphaBetaSwapView::SwapElement;

constexpr auto kExchange = "the exchange of alpha and beta electrons";
constexpr Index kPieceGrain = 64;

Index pieces_of(const Block& block) {
  const auto parts = [](Index all) {
    return (all + AlphaBetaSwapView::kTile - 1) / AlphaBetaSwapView::kTile;
  };
  return parts(block.height) * parts(block.width);
}

/// Elements (pq|pq) between (i, j) of a block and P(i, j): an alpha and a beta electron exchange
/// their orbitals p and q. `other`: the list that has the block's beta strings as alpha strings.
void add_swap_elements(const RowTablesView& t, int block, std::span<const Column> alphas,
                       Index other, std::span<const Column> places,
                       std::vector<SwapElement>& swap_elements) {
  for (Index i = 0; i < std::ssize(alphas); ++i) {
    const Column a = alphas[i];
    for (Index k = t.alpha.offsets[a]; k < t.alpha.offsets[a + 1]; ++k) {
      const Connection& to = t.alpha.all[k];
      if (!to.is_single() || t.list_of[to.target] != other) continue;
      const Index j = places[to.target];
      if (t.list_of[a] == other && j > i) continue;  // counted at (j, i)
      const Index pair = to.pair().pair();
      const double value = t.mixed[pair * t.beta_pairs + pair];
      if (value != 0) swap_elements.push_back({i, j, block, value});
    }
  }
}

}  // namespace

Parity ParityNorms::up_to(double share) const {
  if (odd <= share * share * even) return Parity::even;
  if (even <= share * share * odd) return Parity::odd;
  return Parity::mixed;
}

double ParityNorms::minor_fraction() const {
  const double larger = std::max(even, odd);
  return larger > 0 ? std::sqrt(std::min(even, odd) / larger) : 0;
}

double remove_minor_parity(std::span<const ParityNorms> norms, double max_fraction,
                           const std::function<void(int, Parity)>& take) {
  double largest = 0;
  for (const ParityNorms& one : norms) largest = std::max(largest, one.minor_fraction());
  if (largest > max_fraction) return 0;
  for (std::size_t j = 0; j < norms.size(); ++j)
    if (norms[j].minor_fraction() > 0) take(static_cast<int>(j), norms[j].up_to(1));
  return largest;
}

std::optional<AlphaBetaSwap> AlphaBetaSwap::of(const RowTablesView& t, const base::Backend& host) {
  const bool is_alike = t.alpha.all == t.beta.all && t.alphas == t.betas;
  if (!is_alike || t.alphas == 0) return {};
  const std::vector<std::vector<Column>> alphas = alphas_of_lists(t);
  const auto members = [&](Index list) {
    return std::span(t.members + t.list_offsets[list], t.members + t.list_offsets[list + 1]);
  };
  std::vector<Index> rows;
  std::vector<Index> begins;  // start of each list's alpha strings in rows
  for (const std::vector<Column>& list : alphas) {
    begins.push_back(std::ssize(rows));
    for (const Column a : list) rows.push_back(t.first_row[a]);
  }
  std::vector<Column> places(t.alphas);  // within a list
  for (const std::vector<Column>& list : alphas)
    for (std::size_t i = 0; i < list.size(); ++i) places[list[i]] = static_cast<Column>(i);
  std::vector<Block> blocks;
  std::vector<SwapElement> swap_elements;
  Index pieces = 0;
  for (std::size_t list = 0; list < alphas.size(); ++list) {
    const std::span<const Column> betas = members(static_cast<Index>(list));
    if (betas.empty() || alphas[list].empty()) continue;  // no such rows
    const Index other = t.list_of[betas[0]];
    if (!std::ranges::equal(betas, alphas[other]) ||
        !std::ranges::equal(alphas[list], members(other)))
      return {};
    if (other < static_cast<Index>(list)) continue;  // added with the other list
    blocks.push_back({.alphas = begins[list],
                      .betas = begins[other],
                      .height = std::ssize(alphas[list]),
                      .width = std::ssize(betas),
                      .first_piece = pieces});
    pieces += pieces_of(blocks.back());
    add_swap_elements(t, static_cast<int>(blocks.size()) - 1, alphas[list], other, places,
                      swap_elements);
  }
  if (blocks.empty()) return {};
  return AlphaBetaSwap(rows, blocks, swap_elements, host);
}

AlphaBetaSwap::AlphaBetaSwap(const std::vector<Index>& rows, const std::vector<Block>& blocks,
                             const std::vector<SwapElement>& swap_elements,
                             const base::Backend& host)
    : pieces_(blocks.back().first_piece + pieces_of(blocks.back())),
      rows_(base::Array<Index>::copy_of(rows, host, kExchange)),
      blocks_(base::Array<Block>::copy_of(blocks, host, kExchange)),
      swap_elements_(base::Array<SwapElement>::copy_of(swap_elements, host, kExchange)) {}

AlphaBetaSwap::AlphaBetaSwap(const AlphaBetaSwap& other, const base::Backend& target)
    : pieces_(other.pieces_),
      rows_(other.rows_.to(target)),
      blocks_(other.blocks_.to(target)),
      swap_elements_(other.swap_elements_.to(target)) {}

AlphaBetaSwapView AlphaBetaSwap::view() const {
  return {
      rows_.data(), rows_.size(),          blocks_.data(),       static_cast<int>(blocks_.size()),
      pieces_,      swap_elements_.data(), swap_elements_.size()};
}

ParityNorms AlphaBetaSwap::norms_of(const double* x, const base::Backend& host) const {
  const AlphaBetaSwapView view = this->view();
  std::vector<ParityNorms> norms((pieces_ + kPieceGrain - 1) / kPieceGrain);
  base::for_each_chunk(pieces_, kPieceGrain, host, [&](Index first, Index last) {
    for (Index number = first; number < last; ++number) {
      const AlphaBetaSwapView::Piece piece = view.piece(number);
      ParityNorms& sum = norms[number / kPieceGrain];
      for (int k = 0; k < piece.height; ++k)
        for (int l = 0; l < piece.width; ++l) {
          const double value = x[piece.row(k, l)];
          const double swapped_value = x[piece.swapped(k, l)];
          sum.even += (value + swapped_value) * (value + swapped_value);
          sum.odd += (value - swapped_value) * (value - swapped_value);
        }
    }
  });
  ParityNorms all;
  for (const ParityNorms& part : norms) {
    all.even += part.even;
    all.odd += part.odd;
  }
  return all;
}

void AlphaBetaSwap::add_swapped(Parity parity, double factor, double* y,
                                const base::Backend& host) const {
  const AlphaBetaSwapView view = this->view();
  const double sign = parity == Parity::even ? 1 : -1;
  base::for_each_chunk(pieces_, kPieceGrain, host, [&](Index first, Index last) {
    for (Index number = first; number < last; ++number) {
      const AlphaBetaSwapView::Piece piece = view.piece(number);
      for (int k = 0; k < piece.height; ++k)
        for (int l = 0; l < (piece.is_self_swapped() ? k + 1 : piece.width); ++l) {
          double& value = y[piece.row(k, l)];
          double& swapped_value = y[piece.swapped(k, l)];
          const double sum = factor * (value + sign * swapped_value);
          value = sum;
          swapped_value = sign * sum;
        }
    }
  });
}

}  // namespace cisolve::ci

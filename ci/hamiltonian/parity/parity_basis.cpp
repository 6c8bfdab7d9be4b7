#include "ci/hamiltonian/parity/parity_basis.hpp"

#include <algorithm>
#include <cmath>

namespace cisolve::ci {
namespace {

/// Row of element `number` in a packed triangle: the largest i with i (i + own) / 2 <= number.
Index row_of_triangle(Index number, Index own) {
  auto i = static_cast<Index>(std::sqrt(2.0 * static_cast<double>(number)));
  while (i * (i + own) / 2 > number) --i;
  while ((i + 1) * (i + 1 + own) / 2 <= number) ++i;
  return i;
}

}  // namespace

ParityBasis::ParityBasis(const AlphaBetaSwap& swap, Parity parity) : swap_(swap), parity_(parity) {
  const AlphaBetaSwapView view = swap_.view();
  for (int block = 0; block < view.count; ++block) {
    const AlphaBetaSwapView::Block& b = view.blocks[block];
    first_.push_back(rows_);
    const Index own = parity == Parity::even ? 1 : -1;
    rows_ += b.alphas == b.betas ? b.height * (b.height + own) / 2 : b.height * b.width;
  }
  for (Index string = 0; string < view.strings; ++string)
    strings_.push_back({view.rows[string], string});
  std::ranges::sort(strings_);
}

ParityBasis::Place ParityBasis::place_of(Index row) const {
  const AlphaBetaSwapView view = swap_.view();
  const auto after = std::ranges::upper_bound(
      strings_, row, {}, [](const std::array<Index, 2>& string) { return string[0]; });
  const auto [first, string] = *(after - 1);
  const Index beta = row - first;
  for (int block = 0; block < view.count; ++block) {
    const AlphaBetaSwapView::Block& b = view.blocks[block];
    const auto has = [&](Index begin, Index count) {
      return string >= begin && string < begin + count;
    };
    const Index i = string - b.alphas;
    if (has(b.alphas, b.height))
      return b.alphas == b.betas ? Place{block, std::max(i, beta), std::min(i, beta)}
                                 : Place{block, i, beta};
    if (has(b.betas, b.width)) return {block, beta, string - b.betas};
  }
  return {-1, 0, 0};
}

Index ParityBasis::half_of(Index row) const {
  const Place place = place_of(row);
  const AlphaBetaSwapView::Block& b = swap_.view().blocks[place.block];
  if (b.alphas == b.betas && place.i == place.j && parity_ == Parity::odd) return -1;
  return view().at(place.block, place.i, place.j);
}

std::array<Index, 2> ParityBasis::rows_of(Index half) const {
  const AlphaBetaSwapView view = swap_.view();
  const auto block = std::ranges::upper_bound(first_, half) - first_.begin() - 1;
  const AlphaBetaSwapView::Block& b = view.blocks[block];
  const Index number = half - first_[block];
  Index i = number / b.width;
  Index j = number % b.width;
  if (b.alphas == b.betas) {
    const Index own = parity_ == Parity::even ? 1 : -1;
    i = row_of_triangle(number, own);
    j = number - i * (i + own) / 2;
  }
  return {view.rows[b.alphas + i] + j, view.rows[b.betas + j] + i};
}

}  // namespace cisolve::ci

#include "ci/flip/halves.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

using std::numbers::sqrt2;

constexpr Index kHalvesGrain = 64;  // pieces

/// visit(piece, k, l, number) for each place that has a number, but for its own flips among odd
/// vectors.
template <class Visit>
void for_each_half(const HalvesView& view, const base::Backend& host, Visit visit) {
  base::for_each_chunk(view.flips.pieces, kHalvesGrain, host, [&](Index first, Index last) {
    for (Index number = first; number < last; ++number) {
      const SpinFlipView::Piece piece = view.flips.piece(number);
      for (int k = 0; k < piece.height; ++k) {
        const Index begin = view.at(piece, k, 0);
        for (int l = 0; l < piece.width; ++l)
          if (HalvesView::has(piece, k, l) && (view.is_even || !HalvesView::is_own(piece, k, l)))
            visit(piece, k, l, begin + l);
      }
    }
  });
}

/// Writes the two elements of each number, or adds them to what is there.
template <bool kAdds>
void put_halves(const HalvesView& view, const double* half, double* whole,
                const base::Backend& host) {
  const auto put = [&](Index row, double value) {
    whole[row] = kAdds ? whole[row] + value : value;
  };
  const double sign = view.sign();
  for_each_half(view, host, [&](const SpinFlipView::Piece& piece, int k, int l, Index at) {
    const double value = half[at];
    const bool is_own = HalvesView::is_own(piece, k, l);
    put(piece.row(k, l), is_own ? value : value / sqrt2);
    if (!is_own) put(piece.flip(k, l), sign * value / sqrt2);
  });
}

/// The largest i with i (i + own) / 2 <= number, by which a triangle is numbered.
Index row_of_triangle(Index number, Index own) {
  auto i = static_cast<Index>(std::sqrt(2.0 * static_cast<double>(number)));
  while (i * (i + own) / 2 > number) --i;
  while ((i + 1) * (i + 1 + own) / 2 <= number) ++i;
  return i;
}

}  // namespace

Halves::Halves(const SpinFlip& flip, Parity parity) : flip_(flip), parity_(parity) {
  const SpinFlipView view = flip_.view();
  for (int block = 0; block < view.count; ++block) {
    const SpinFlipView::Block& b = view.blocks[block];
    first_.push_back(rows_);
    const Index own = parity == Parity::even ? 1 : -1;
    rows_ += b.alphas == b.betas ? b.height * (b.height + own) / 2 : b.height * b.width;
  }
  for (Index string = 0; string < view.strings; ++string)
    strings_.push_back({view.rows[string], string});
  std::ranges::sort(strings_);
}

Halves::Place Halves::place_of(Index row) const {
  const SpinFlipView view = flip_.view();
  const auto after = std::ranges::upper_bound(
      strings_, row, {}, [](const std::array<Index, 2>& string) { return string[0]; });
  const auto [first, string] = *(after - 1);
  const Index beta = row - first;
  for (int block = 0; block < view.count; ++block) {
    const SpinFlipView::Block& b = view.blocks[block];
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

Index Halves::half_of(Index row) const {
  const Place place = place_of(row);
  const SpinFlipView::Block& b = flip_.view().blocks[place.block];
  if (b.alphas == b.betas && place.i == place.j && parity_ == Parity::odd) return -1;
  return view().at(place.block, place.i, place.j);
}

std::array<Index, 2> Halves::rows_of(Index half) const {
  const SpinFlipView view = flip_.view();
  const auto block = std::ranges::upper_bound(first_, half) - first_.begin() - 1;
  const SpinFlipView::Block& b = view.blocks[block];
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

void Halves::expand(const double* half, double* whole, const base::Backend& host) const {
  put_halves<false>(view(), half, whole, host);
  if (parity_ == Parity::even) return;
  const HalvesView view = this->view();
  base::for_each_chunk(view.flips.pieces, kHalvesGrain, host, [&](Index first, Index last) {
    for (Index number = first; number < last; ++number) {
      const SpinFlipView::Piece piece = view.flips.piece(number);
      for (int k = 0; piece.is_its_own_flip && k < piece.height; ++k) whole[piece.row(k, k)] = 0;
    }
  });
}

void Halves::add(const double* half, double* whole, const base::Backend& host) const {
  put_halves<true>(view(), half, whole, host);
}

void Halves::fold(double factor, const double* whole, double* half,
                  const base::Backend& host) const {
  const HalvesView view = this->view();
  const double sign = view.sign();
  for_each_half(view, host, [&](const SpinFlipView::Piece& piece, int k, int l, Index at) {
    const double here = whole[piece.row(k, l)];
    half[at] = HalvesView::is_own(piece, k, l)
                   ? 2 * factor * here
                   : sqrt2 * factor * (here + sign * whole[piece.flip(k, l)]);
  });
}

void Halves::fold_diagonal(const double* whole, double* half, const base::Backend& host) const {
  const HalvesView view = this->view();
  for_each_half(view, host, [&](const SpinFlipView::Piece& piece, int k, int l, Index at) {
    half[at] = whole[piece.row(k, l)];
  });
  for (Index e = 0; e < view.flips.exchange_count; ++e) {
    const SpinFlipView::Exchange& exchange = view.flips.exchanges[e];
    half[view.at(exchange.block, exchange.i, exchange.j)] += view.sign() * exchange.value;
  }
}

}  // namespace cisolve::ci

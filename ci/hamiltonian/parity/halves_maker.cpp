#include "ci/hamiltonian/parity/halves_maker.hpp"

#include <algorithm>
#include <numbers>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

using std::numbers::sqrt2;
using Piece = SpinFlipView::Piece;

constexpr Index kHalvesGrain = 64;  // tiles

class HalvesOnHost final : public HalvesMaker {
 public:
  HalvesOnHost(const Halves& halves, const FlipShares& shares, const base::VectorExchange* vectors,
               const base::Backend& host)
      : HalvesMaker(halves, shares, vectors),
        view_(halves.view()),
        places_(base::Array<Index>::copy_of(shares.places(), host, "the places of strings")),
        host_(host) {}

  void fold(double factor, const double* image, const double* received,
            double* half) const override {
    const double sign = view_.sign();
    for_each_half(shares().folds(), places_.data(),
                  [&](const HalfPatch& patch, const Piece& piece, int k, int l, Index at) {
                    const double here = image[piece.row(k, l)];
                    if (HalvesView::is_own(piece, k, l)) {
                      if (view_.is_even) half[at] = 2 * factor * here;
                      return;
                    }
                    const double there =
                        patch.is_here ? image[piece.flip(k, l)] : received[patch.sent(piece, k, l)];
                    half[at] = sqrt2 * factor * (here + sign * there);
                  });
  }

  void fold_diagonal(const double* image, double* half) const override {
    for_each_half(shares().folds(), places_.data(),
                  [&](const HalfPatch&, const Piece& piece, int k, int l, Index at) {
                    if (view_.is_even || !HalvesView::is_own(piece, k, l))
                      half[at] = image[piece.row(k, l)];
                  });
    for (const HalfShares::Exchange& exchange : shares().exchanges())
      half[exchange.half] += view_.sign() * exchange.value;
  }

 private:
  void put_round(RoundOf round, bool adds, const double* from, double* whole) const override {
    const double sign = view_.sign();
    const auto put = [&](Index row, double value) {
      whole[row] = adds ? whole[row] + value : value;
    };
    const HalfShares::Round& all = shares().rounds(round.in)[round.number];
    for_each_half(round.whose == Whose::own ? all.own : all.of_others, view_.flips.rows,
                  [&](const HalfPatch&, const Piece& piece, int k, int l, Index at) {
                    if (HalvesView::is_own(piece, k, l))
                      return put(piece.row(k, l), view_.is_even ? from[at] : 0);
                    const double value = from[at] / sqrt2;
                    put(piece.row(k, l), value);
                    put(piece.flip(k, l), sign * value);
                  });
  }

  /// visit(patch, piece, k, l, where the half stands) for each place below the diagonal and on it.
  template <class Visit>
  void for_each_half(const HalfPatches& patches, const Index* rows, Visit visit) const {
    base::for_each_chunk(patches.tiles, kHalvesGrain, host_, [&](Index first, Index last) {
      for (Index tile = first; tile < last; ++tile) {
        const auto next = std::ranges::upper_bound(patches.all, tile, {}, &HalfPatch::first_tile);
        const HalfPatch& patch = *(next - 1);
        const Piece piece = patch.tile(view_.flips, rows, tile);
        for (int k = 0; k < piece.height; ++k) {
          const Index begin = view_.at(piece, k, 0) + patch.shift;
          for (int l = 0; l < piece.width && HalvesView::has(piece, k, l); ++l)
            visit(patch, piece, k, l, begin + l);
        }
      }
    });
  }

  HalvesView view_;
  base::Array<Index> places_;
  base::Backend host_;
};

}  // namespace

void HalvesMaker::put(bool adds, const double* half, double* whole, Stage stage) const {
  const std::span<const HalfShares::Round> rounds = shares_.rounds(stage.in);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const HalfShares::Round& round = rounds[i];
    put_round({stage.in, i, Whose::own}, adds, half, whole);
    if (layout().ranks() == 1) continue;
    vectors_->others(round.layout, half + round.begin, stage.numbers);
    put_round({stage.in, i, Whose::of_others}, adds, stage.numbers, whole);
  }
}

std::unique_ptr<HalvesMaker> halves_on_host(const Halves& halves, const FlipShares& shares,
                                            const base::VectorExchange* vectors,
                                            const base::Backend& host) {
  return std::make_unique<HalvesOnHost>(halves, shares, vectors, host);
}

}  // namespace cisolve::ci

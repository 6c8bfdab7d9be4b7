#include "ci/hamiltonian/parity/parity_transform.hpp"

#include <algorithm>
#include <numbers>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

using std::numbers::sqrt2;
using Piece = AlphaBetaSwapView::Piece;

constexpr Index kTilesInChunk = 64;  // tiles

class ParityTransformOnHost final : public ParityTransform {
 public:
  ParityTransformOnHost(const ParityBasis& basis, const SwapPartition& partition,
                        const base::VectorExchange* vectors, const base::Backend& host)
      : ParityTransform(basis, partition, vectors),
        view_(basis.view()),
        places_(base::Array<Index>::copy_of(partition.places(), host, "the places of strings")),
        host_(host) {}

  void contract(double factor, const double* image, const double* received,
                double* half) const override {
    const double sign = view_.sign();
    for_each_half(distributed_basis().contractions(), places_.data(),
                  [&](const ParityPatch& patch, const Piece& piece, int k, int l, Index at) {
                    const double here = image[piece.row(k, l)];
                    if (ParityBasisView::is_self_swapped(piece, k, l)) {
                      if (view_.is_even) half[at] = 2 * factor * here;
                      return;
                    }
                    const double there = patch.is_here ? image[piece.swapped(k, l)]
                                                       : received[patch.received_at(piece, k, l)];
                    half[at] = sqrt2 * factor * (here + sign * there);
                  });
  }

  void contract_diagonal(const double* image, double* half) const override {
    for_each_half(distributed_basis().contractions(), places_.data(),
                  [&](const ParityPatch&, const Piece& piece, int k, int l, Index at) {
                    if (view_.is_even || !ParityBasisView::is_self_swapped(piece, k, l))
                      half[at] = image[piece.row(k, l)];
                  });
    for (const DistributedParityBasis::SwapElement& element : distributed_basis().swap_elements())
      half[element.half] += view_.sign() * element.value;
  }

 private:
  void expand_round(RoundOf round, bool adds, const double* from, double* whole) const override {
    const double sign = view_.sign();
    const auto put = [&](Index row, double value) {
      whole[row] = adds ? whole[row] + value : value;
    };
    const DistributedParityBasis::Round& all = distributed_basis().rounds(round.in)[round.number];
    for_each_half(round.whose == Whose::own ? all.own : all.of_others, view_.swaps.rows,
                  [&](const ParityPatch&, const Piece& piece, int k, int l, Index at) {
                    if (ParityBasisView::is_self_swapped(piece, k, l))
                      return put(piece.row(k, l), view_.is_even ? from[at] : 0);
                    const double value = from[at] / sqrt2;
                    put(piece.row(k, l), value);
                    put(piece.swapped(k, l), sign * value);
                  });
  }

  /// Calls visit(patch, piece, k, l, position) for each coefficient.
  template <class Visit>
  void for_each_half(const ParityPatches& patches, const Index* rows, Visit visit) const {
    base::for_each_chunk(patches.tiles, kTilesInChunk, host_, [&](Index first, Index last) {
      for (Index tile = first; tile < last; ++tile) {
        const auto next = std::ranges::upper_bound(patches.all, tile, {}, &ParityPatch::first_tile);
        const ParityPatch& patch = *(next - 1);
        const Piece piece = patch.tile(view_.swaps, rows, tile);
        for (int k = 0; k < piece.height; ++k) {
          const Index begin = view_.at(piece, k, 0) + patch.shift;
          for (int l = 0; l < piece.width && ParityBasisView::has(piece, k, l); ++l)
            visit(patch, piece, k, l, begin + l);
        }
      }
    });
  }

  ParityBasisView view_;
  base::Array<Index> places_;
  base::Backend host_;
};

}  // namespace

void ParityTransform::expand_or_add(bool adds, const double* half, double* whole,
                                    Staging stage) const {
  const std::span<const DistributedParityBasis::Round> rounds = distributed_basis_.rounds(stage.in);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const DistributedParityBasis::Round& round = rounds[i];
    expand_round({stage.in, i, Whose::own}, adds, half, whole);
    if (layout().ranks() == 1) continue;
    vectors_->all_gather_others(round.layout, half + round.begin, stage.numbers);
    expand_round({stage.in, i, Whose::of_others}, adds, stage.numbers, whole);
  }
}

std::unique_ptr<ParityTransform> parity_transform_on_host(const ParityBasis& basis,
                                                          const SwapPartition& partition,
                                                          const base::VectorExchange* vectors,
                                                          const base::Backend& host) {
  return std::make_unique<ParityTransformOnHost>(basis, partition, vectors, host);
}

}  // namespace cisolve::ci

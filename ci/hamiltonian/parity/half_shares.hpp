#pragma once

#include <vector>

#include "ci/hamiltonian/parity/flip_shares.hpp"
#include "ci/hamiltonian/parity/halves.hpp"

namespace cisolve::ci {

/// A rectangle (i, j) of a block's coefficients; only i >= j if P maps the block to itself.
struct HalfPatch {
  int block;
  bool is_here;  // the elements read (coefficients, or swapped elements) are this rank's
  Index i;
  Index i_end;
  Index j;
  Index j_end;
  Index shift;  // from the number of a coefficient to its position
  Index flips;  // first swapped element in the receive buffer; (i, j) is next to (i + 1, j)
  Index first_tile;

  static constexpr int kTile = SpinFlipView::kTile;

  CISOLVE_HOST_DEVICE Index across() const { return (j_end - j + kTile - 1) / kTile; }
  CISOLVE_HOST_DEVICE Index tiles() const { return (i_end - i + kTile - 1) / kTile * across(); }
  /// `rows`: the first row of each string. Height 0 if the tile has no coefficients.
  CISOLVE_HOST_DEVICE SpinFlipView::Piece tile(const SpinFlipView& flips_of, const Index* rows,
                                               Index number) const {
    const SpinFlipView::Block& b = flips_of.blocks[block];
    const Index at_i = i + (number - first_tile) / across() * kTile;
    const Index at_j = j + (number - first_tile) % across() * kTile;
    const auto part = [](Index all) { return static_cast<int>(all < kTile ? all : kTile); };
    const int height = part(i_end - at_i);
    const bool is_square = b.alphas == b.betas;
    return {rows + b.alphas + at_i,
            rows + b.betas + at_j,
            at_i,
            at_j,
            is_square && at_j >= at_i + height ? 0 : height,
            part(j_end - at_j),
            block,
            is_square};
  }
  /// Position of the swapped (k, l) of a tile in the receive buffer.
  CISOLVE_HOST_DEVICE Index sent(const SpinFlipView::Piece& piece, int k, int l) const {
    return flips + (piece.j + l - j) * (i_end - i) + piece.i + k - i;
  }
};

struct HalfPatches {
  std::vector<HalfPatch> all;
  Index tiles = 0;

  void add(HalfPatch patch);
};

/// Receive buffer of other ranks' coefficients: of its own, or the memory of the image.
enum class StagedIn { room, image };

/// Coefficients of one parity distributed among ranks: each has those of its alpha strings, ordered
/// by block and string.
class HalfShares {
 public:
  /// Coefficients of each rank that one all-gather into the receive buffer brings to all others.
  struct Round {
    base::Layout layout;  // in the receive buffer; this rank's would follow at the end
    Index begin = 0;      // first own coefficient of the round
    HalfPatches own;
    HalfPatches of_others;
  };
  /// A coefficient of this rank, and the element of H between its determinant and the image.
  struct Exchange {
    Index half;
    double value;
  };

  HalfShares(const Halves& halves, const FlipShares& shares);

  const base::Layout& layout() const { return layout_; }
  std::span<const Round> rounds(StagedIn room) const {
    return room == StagedIn::image ? rounds_in_image_ : rounds_;
  }
  /// This rank's coefficients: swapped elements in its own image, or received.
  const HalfPatches& folds() const { return folds_; }
  std::span<const Exchange> exchanges() const { return exchanges_; }

 private:
  /// The coefficients of a run of strings.
  struct Part {
    int block;
    FlipShares::Run run;
    Index at;  // among those of the rank
  };

  void place(const FlipShares& shares);
  std::vector<Round> divide(const FlipShares& shares, Index staged) const;
  Index most_of_round(const FlipShares& shares, Index staged) const;
  Index take(std::vector<Part>& parts, Index most, bool is_here, Index moved,
             HalfPatches& patches) const;
  void place_folds(const FlipShares& shares);
  void place_exchanges(int rank);
  Index numbers(int block, Index begin, Index end) const;

  HalvesView view_;
  base::Layout layout_;
  std::vector<std::vector<Part>> parts_;  // [rank]
  std::vector<Round> rounds_;
  std::vector<Round> rounds_in_image_;
  HalfPatches folds_;
  std::vector<Exchange> exchanges_;
};

}  // namespace cisolve::ci

#pragma once

#include <vector>

#include "ci/hamiltonian/parity/parity_basis.hpp"
#include "ci/hamiltonian/parity/swap_partition.hpp"

namespace cisolve::ci {

/// A rectangle (i, j) of a block's coefficients; only i >= j if P maps the block to itself.
struct ParityPatch {
  int block;
  bool is_here;  // the elements read (coefficients, or swapped elements) are this rank's
  Index i;
  Index i_end;
  Index j;
  Index j_end;
  Index shift;  // added to a coefficient's number gives its position
  Index swaps;  // first swapped element in the receive buffer; (i, j) is next to (i + 1, j)
  Index first_tile;

  static constexpr int kTile = AlphaBetaSwapView::kTile;

  CISOLVE_HOST_DEVICE Index across() const { return (j_end - j + kTile - 1) / kTile; }
  CISOLVE_HOST_DEVICE Index tiles() const { return (i_end - i + kTile - 1) / kTile * across(); }
  /// `rows`: the first row of each string. Height 0 if the tile has no coefficients.
  CISOLVE_HOST_DEVICE AlphaBetaSwapView::Piece tile(const AlphaBetaSwapView& view,
                                                    const Index* rows, Index number) const {
    const AlphaBetaSwapView::Block& b = view.blocks[block];
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
  /// Position in the receive buffer of the image's element at the swapped (k, l) of a tile.
  CISOLVE_HOST_DEVICE Index received_at(const AlphaBetaSwapView::Piece& piece, int k, int l) const {
    return swaps + (piece.j + l - j) * (i_end - i) + piece.i + k - i;
  }
};

struct ParityPatches {
  std::vector<ParityPatch> all;
  Index tiles = 0;

  void add(ParityPatch patch);
};

/// Receive buffer of other ranks' coefficients: of its own, or the memory of the image.
enum class StagedIn { buffer, image };

/// Coefficients of one parity distributed among ranks: each has those of its alpha strings, ordered
/// by block and string.
class DistributedParityBasis {
 public:
  /// Coefficients of each rank that one all-gather into the receive buffer brings to all others.
  struct Round {
    base::Layout layout;  // layout of the receive buffer; this rank's rows would follow at the end
    Index begin = 0;      // first own coefficient of the round
    ParityPatches own;
    ParityPatches of_others;
  };
  /// A coefficient of this rank, and the element of H between its determinant and the swapped one.
  struct SwapElement {
    Index half;
    double value;
  };

  DistributedParityBasis(const ParityBasis& basis, const SwapPartition& partition);

  const base::Layout& layout() const { return layout_; }
  std::span<const Round> rounds(StagedIn in) const {
    return in == StagedIn::image ? rounds_in_image_ : rounds_;
  }
  /// This rank's coefficients, in patches whose swapped elements are its own or are received.
  const ParityPatches& contractions() const { return contractions_; }
  std::span<const SwapElement> swap_elements() const { return swap_elements_; }

 private:
  /// The coefficients of a run of strings.
  struct Part {
    int block;
    SwapPartition::Run run;
    Index at;  // among those of the rank
  };

  void place(const SwapPartition& partition);
  std::vector<Round> divide(const SwapPartition& partition, Index staged) const;
  Index most_of_round(const SwapPartition& partition, Index staged) const;
  Index take(std::vector<Part>& parts, Index most, bool is_here, Index moved,
             ParityPatches& patches) const;
  void place_contractions(const SwapPartition& partition);
  void place_swap_elements(int rank);
  Index numbers(int block, Index begin, Index end) const;

  ParityBasisView view_;
  base::Layout layout_;
  std::vector<std::vector<Part>> parts_;  // [rank]
  std::vector<Round> rounds_;
  std::vector<Round> rounds_in_image_;
  ParityPatches contractions_;
  std::vector<SwapElement> swap_elements_;
};

}  // namespace cisolve::ci

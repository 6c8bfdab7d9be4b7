#pragma once

#include <vector>

#include "ci/flip/flip_shares.hpp"
#include "ci/flip/halves.hpp"

namespace cisolve::ci {

/// Halves of a block, (i, j) of some strings and columns; where flips stay within the block, of i
/// at least j alone.
struct HalfPatch {
  int block;
  bool is_here;  // of this rank are the numbers that are read: halves, or flips in an image
  Index i;
  Index i_end;
  Index j;
  Index j_end;
  Index shift;  // from the number of a half to where it stands
  Index flips;  // where they stand in what others sent, (i, j) beside (i + 1, j)
  Index first_tile;

  static constexpr int kTile = SpinFlipView::kTile;

  CISOLVE_HOST_DEVICE Index across() const { return (j_end - j + kTile - 1) / kTile; }
  CISOLVE_HOST_DEVICE Index tiles() const { return (i_end - i + kTile - 1) / kTile * across(); }
  /// With the first rows of strings as `rows` has them; without height where it has no halves.
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
  /// Where the flip of a tile's (k, l) stands in what others sent.
  CISOLVE_HOST_DEVICE Index sent(const SpinFlipView::Piece& piece, int k, int l) const {
    return flips + (piece.j + l - j) * (i_end - i) + piece.i + k - i;
  }
};

struct HalfPatches {
  std::vector<HalfPatch> all;
  Index tiles = 0;

  void add(HalfPatch patch);
};

/// Where halves of other ranks stand until whole vectors are made of them.
enum class StagedIn { room, image };

/// Halves of one parity among ranks: each has those of its alpha strings, by block and by string.
class HalfShares {
 public:
  /// Some numbers of each rank, which all others get at once in the room for what is staged.
  struct Round {
    base::Layout layout;  // of these in the room, behind which those of this rank would stand
    Index begin = 0;      // among those of this rank
    HalfPatches own;
    HalfPatches of_others;
  };
  /// A number of this rank, and what the Hamiltonian has between its determinant and the flip.
  struct Exchange {
    Index half;
    double value;
  };

  HalfShares(const Halves& halves, const FlipShares& shares);

  const base::Layout& layout() const { return layout_; }
  std::span<const Round> rounds(StagedIn room) const {
    return room == StagedIn::image ? rounds_in_image_ : rounds_;
  }
  /// Of this rank's halves: with their flips in its own image, and in what others sent.
  const HalfPatches& folds() const { return folds_; }
  std::span<const Exchange> exchanges() const { return exchanges_; }

 private:
  /// The halves of a run of strings.
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
  std::vector<std::vector<Part>> parts_;  // of each rank
  std::vector<Round> rounds_;
  std::vector<Round> rounds_in_image_;
  HalfPatches folds_;
  std::vector<Exchange> exchanges_;
};

}  // namespace cisolve::ci

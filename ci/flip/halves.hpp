#pragma once

#include <array>
#include <vector>

#include "ci/flip/spin_flip.hpp"

namespace cisolve::ci {

/// Vectors of one parity by half of their numbers: one for two determinants that are each other's
/// flips, times the root of two, and one for a determinant that is its own, which an odd vector
/// does not have. So inner products are those of the vectors themselves.
struct HalvesView {
  SpinFlipView flips;
  const Index* first;  // number of each block
  bool is_even;

  /// Of (i, j) of a block; where flips stay within it, of i at least j.
  CISOLVE_HOST_DEVICE Index at(int block, Index i, Index j) const {
    const SpinFlipView::Block& b = flips.blocks[block];
    const Index before = b.alphas == b.betas ? i * (is_even ? i + 1 : i - 1) / 2 : i * b.width;
    return first[block] + before + j;
  }
  CISOLVE_HOST_DEVICE Index at(const SpinFlipView::Piece& piece, int k, int l) const {
    return at(piece.block, piece.i + k, piece.j + l);
  }
  /// Whether this place of a piece has a number; where it has none, its flip has it, or neither.
  CISOLVE_HOST_DEVICE static bool has(const SpinFlipView::Piece& piece, int k, int l) {
    return !piece.is_square || piece.j + l <= piece.i + k;
  }
  CISOLVE_HOST_DEVICE static bool is_own(const SpinFlipView::Piece& piece, int k, int l) {
    return piece.is_square && piece.i + k == piece.j + l;
  }
  CISOLVE_HOST_DEVICE double sign() const { return is_even ? 1 : -1; }
};

/// How the numbers of halves and of whole vectors belong together.
class Halves {
 public:
  /// Of a flip in the host's memory, which must outlive this; `parity` is even or odd.
  Halves(const SpinFlip& flip, Parity parity);

  Index rows() const { return rows_; }
  Parity parity() const { return parity_; }
  const SpinFlip& flip() const { return flip_; }
  std::span<const Index> first() const { return first_; }
  HalvesView view() const { return {flip_.view(), first_.data(), parity_ == Parity::even}; }

  /// Of a determinant; -1 where it has none.
  Index half_of(Index row) const;
  /// A determinant and its flip, which may be itself.
  std::array<Index, 2> rows_of(Index half) const;

 private:
  struct Place {
    int block;
    Index i;
    Index j;
  };
  Place place_of(Index row) const;

  const SpinFlip& flip_;
  Parity parity_;
  std::vector<Index> first_;
  Index rows_ = 0;
  std::vector<std::array<Index, 2>> strings_;  // first row of each, ascending, and where it stands
};

}  // namespace cisolve::ci

#pragma once

#include <array>
#include <vector>

#include "ci/hamiltonian/parity/alpha_beta_swap.hpp"

namespace cisolve::ci {

/// The orthonormal basis of one parity: (|a b> +- |b a>)/sqrt(2), and |a a> if even. Inner products
/// of coefficients are those of the whole vectors.
struct ParityBasisView {
  AlphaBetaSwapView swaps;
  const Index* first;  // first coefficient of each block
  bool is_even;

  /// Number of the coefficient of (i, j) of a block. If P maps the block to itself: i >= j, if odd
  /// i > j.
  CISOLVE_HOST_DEVICE Index at(int block, Index i, Index j) const {
    const AlphaBetaSwapView::Block& b = swaps.blocks[block];
    const Index before = b.alphas == b.betas ? i * (is_even ? i + 1 : i - 1) / 2 : i * b.width;
    return first[block] + before + j;
  }
  CISOLVE_HOST_DEVICE Index at(const AlphaBetaSwapView::Piece& piece, int k, int l) const {
    return at(piece.block, piece.i + k, piece.j + l);
  }
  /// Whether (k, l) of a piece carries a coefficient, and not only the swapped one; true for |a a>,
  /// which has none if odd (is_self_swapped).
  CISOLVE_HOST_DEVICE static bool has(const AlphaBetaSwapView::Piece& piece, int k, int l) {
    return !piece.is_square || piece.j + l <= piece.i + k;
  }
  /// Whether (k, l) is |a a>, which P maps to itself.
  CISOLVE_HOST_DEVICE static bool is_self_swapped(const AlphaBetaSwapView::Piece& piece, int k,
                                                  int l) {
    return piece.is_square && piece.i + k == piece.j + l;
  }
  CISOLVE_HOST_DEVICE double sign() const { return is_even ? 1 : -1; }
};

/// The map between coefficients of a parity and rows of whole vectors.
class ParityBasis {
 public:
  /// `swap` is in the host's memory and must outlive this; `parity` is even or odd.
  ParityBasis(const AlphaBetaSwap& swap, Parity parity);

  Index rows() const { return rows_; }
  Parity parity() const { return parity_; }
  const AlphaBetaSwap& alpha_beta_swap() const { return swap_; }
  std::span<const Index> first() const { return first_; }
  ParityBasisView view() const { return {swap_.view(), first_.data(), parity_ == Parity::even}; }

  /// The coefficient of a determinant; -1 if it has none (|a a>, odd).
  Index half_of(Index row) const;
  /// A determinant and the swapped one, which may be the same.
  std::array<Index, 2> rows_of(Index half) const;

 private:
  struct Place {
    int block;
    Index i;
    Index j;
  };
  Place place_of(Index row) const;

  const AlphaBetaSwap& swap_;
  Parity parity_;
  std::vector<Index> first_;
  Index rows_ = 0;
  std::vector<std::array<Index, 2>> strings_;  // first row, ascending, and number in the swap
};

}  // namespace cisolve::ci

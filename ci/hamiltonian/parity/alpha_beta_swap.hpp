#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/block.hpp"
#include "ci/hamiltonian/rows/row_tables.hpp"

namespace cisolve::ci {

/// The map P: (a, b) -> (b, a) of a space that contains both, in tiles of kTile x kTile. "Swapped"
/// means under P; an "image" is a product H x.
struct AlphaBetaSwapView {
  static constexpr int kTile = 32;

  /// The alpha strings with one list of beta strings. With i and j numbered within the two, (i, j)
  /// is row rows[alphas + i] + j and P(i, j) is row rows[betas + j] + i.
  struct Block {
    Index alphas;  // among `rows`
    Index betas;   // among `rows`; equal to `alphas` if P maps the block to itself
    Index height;  // number of alpha strings
    Index width;   // number of beta strings
    Index first_piece;
  };
  /// height x width determinants of a block from (i, j) on, and the swapped ones. If P maps the
  /// block to itself, pieces above the diagonal (i < j) have height 0.
  struct Piece {
    const Index* alphas;
    const Index* betas;
    Index i;
    Index j;
    int height;
    int width;
    int block;
    bool is_square;  // P maps the block to itself

    CISOLVE_HOST_DEVICE bool is_self_swapped() const { return is_square && i == j; }
    CISOLVE_HOST_DEVICE Index row(int k, int l) const { return alphas[k] + j + l; }
    CISOLVE_HOST_DEVICE Index swapped(int k, int l) const { return betas[l] + i + k; }
  };

  /// The element of H between determinant (i, j) of a block and P(i, j).
  struct SwapElement {
    Index i;
    Index j;
    int block;
    double value;
  };

  const Index* rows;  // first row of each alpha string, by list of beta strings
  Index strings;      // among `rows`
  const Block* blocks;
  int count;
  Index pieces;
  const SwapElement* swap_elements;  // one element for (i, j) and (j, i) together
  Index swap_element_count;

  CISOLVE_HOST_DEVICE Piece piece(Index number) const {
    int block = count - 1;
    while (blocks[block].first_piece > number) --block;
    const Block& b = blocks[block];
    const Index across = (b.width + kTile - 1) / kTile;
    const Index i = (number - b.first_piece) / across * kTile;
    const Index j = (number - b.first_piece) % across * kTile;
    const bool is_square = b.alphas == b.betas;
    const auto part = [](Index all, Index begin) {
      return static_cast<int>(all - begin < kTile ? all - begin : kTile);
    };
    return {rows + b.alphas + i,
            rows + b.betas + j,
            i,
            j,
            is_square && i < j ? 0 : part(b.height, i),
            part(b.width, j),
            block,
            is_square};
  }
};

/// P x = x (even total spin S), P x = -x (odd S), or neither.
enum class Parity { even = 1, odd = -1, mixed = 0 };

/// Squared norms of the even and odd components of a vector, each times a factor of its own between
/// 2 and 4, so that ratios of norms are right up to a factor of sqrt(2).
struct ParityNorms {
  double even = 0;
  double odd = 0;

  /// Even or odd if the norm of the other component is at most `fraction` times its norm.
  Parity up_to(double share) const;
  /// Norm of the smaller component over that of the larger.
  double minor_fraction() const;
  Parity parity() const { return up_to(1e-14); }
};

/// Calls take(j, parity) for each vector with a minor component, parity being the major one's. Does
/// nothing and returns 0 if a minor component exceeds `max_fraction` times the major one for any
/// vector; otherwise returns the largest fraction removed.
double remove_minor_parity(std::span<const ParityNorms> norms, double max_fraction,
                           const std::function<void(int, Parity)>& take);

/// The exchange P of alpha and beta electrons, which commutes with H.
class AlphaBetaSwap {
 public:
  /// None if P changes the space or the integrals, or if the space is empty.
  static std::optional<AlphaBetaSwap> of(const RowTablesView& t, const base::Backend& host);

  AlphaBetaSwap to(const base::Backend& target) const { return {*this, target}; }
  AlphaBetaSwapView view() const;
  Index bytes() const { return rows_.bytes() + blocks_.bytes() + swap_elements_.bytes(); }

  // Both work on the host.
  ParityNorms norms_of(const double* x, const base::Backend& host) const;
  /// y = factor (y +- P y).
  void add_swapped(Parity parity, double factor, double* y, const base::Backend& host) const;

 private:
  AlphaBetaSwap(const std::vector<Index>& rows, const std::vector<AlphaBetaSwapView::Block>& blocks,
                const std::vector<AlphaBetaSwapView::SwapElement>& swap_elements,
                const base::Backend& host);
  AlphaBetaSwap(const AlphaBetaSwap& other, const base::Backend& target);

  Index pieces_;
  base::Array<Index> rows_;
  base::Array<AlphaBetaSwapView::Block> blocks_;
  base::Array<AlphaBetaSwapView::SwapElement> swap_elements_;
};

}  // namespace cisolve::ci

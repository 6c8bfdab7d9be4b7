#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/block.hpp"
#include "ci/hamiltonian/row_tables.hpp"

namespace cisolve::ci {

/// A space whose determinants (a, b) and (b, a) both belong to it, as square pieces of both.
struct SpinFlipView {
  static constexpr int kTile = 32;

  /// The rows of alpha strings with one list of beta strings. With the strings numbered within
  /// these two, the row of (i, j) is rows[alphas + i] + j, and that of its flip rows[betas + j] +
  /// i.
  struct Block {
    Index alphas;  // among `rows`
    Index betas;   // likewise, the same where flips stay within the block
    Index height;
    Index width;
    Index first_piece;
  };
  /// Of a block: height x width determinants from (i, j) on, and their flips. Of a block that holds
  /// its own flips, one of two pieces that are each other's has no determinants.
  struct Piece {
    const Index* alphas;
    const Index* betas;
    Index i;
    Index j;
    int height;
    int width;
    int block;
    bool is_square;  // flips stay within the block

    CISOLVE_HOST_DEVICE bool is_its_own_flip() const { return is_square && i == j; }
    CISOLVE_HOST_DEVICE Index row(int k, int l) const { return alphas[k] + j + l; }
    CISOLVE_HOST_DEVICE Index flip(int k, int l) const { return betas[l] + i + k; }
  };

  /// What the Hamiltonian has between a determinant of a block and its flip.
  struct Exchange {
    Index i;
    Index j;
    int block;
    double value;
  };

  const Index* rows;  // the first of an alpha string
  Index strings;      // among `rows`
  const Block* blocks;
  int count;
  Index pieces;
  const Exchange* exchanges;  // one for both
  Index exchange_count;

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

/// What a vector is under the exchange of alpha and beta electrons.
enum class Parity { even = 1, odd = -1, mixed = 0 };

/// Squared norms of the parts of a vector that do not and that do change their sign, but for a
/// factor between 2 and 4.
struct ParityNorms {
  double even = 0;
  double odd = 0;

  /// Even or odd where the norm of the other part is at most `share` of that.
  Parity with_at_most(double share) const;
  double smaller_share() const;
  Parity parity() const { return with_at_most(1e-14); }
};

/// Calls take(j, parity) for each vector that is to lose its smaller part, unless that is more than
/// `share` of the larger one for any of them. Returns the largest share that is taken.
double purify(std::span<const ParityNorms> norms, double share,
              const std::function<void(int, Parity)>& take);

/// The exchange of alpha and beta electrons, under which a Hamiltonian does not change.
class SpinFlip {
 public:
  /// None where the space or the integrals change, or where nothing would be gained.
  static std::optional<SpinFlip> of(const RowTablesView& t, const base::Backend& host);

  SpinFlip to(const base::Backend& target) const { return {*this, target}; }
  SpinFlipView view() const;
  Index bytes() const { return rows_.bytes() + blocks_.bytes() + exchanges_.bytes(); }

  // On the host.
  ParityNorms norms_of(const double* x, const base::Backend& host) const;
  /// y = factor (y + y flipped), or factor (y - y flipped).
  void add_flipped(Parity parity, double factor, double* y, const base::Backend& host) const;

 private:
  SpinFlip(const std::vector<Index>& rows, const std::vector<SpinFlipView::Block>& blocks,
           const std::vector<SpinFlipView::Exchange>& exchanges, const base::Backend& host);
  SpinFlip(const SpinFlip& other, const base::Backend& target);

  Index pieces_;
  base::Array<Index> rows_;
  base::Array<SpinFlipView::Block> blocks_;
  base::Array<SpinFlipView::Exchange> exchanges_;
};

}  // namespace cisolve::ci

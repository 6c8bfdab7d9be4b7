#pragma once

#include "base/host_device.hpp"
#include "ci/hamiltonian/factorised/same_spin_matrix.hpp"

namespace cisolve::ci {

/// A SameSpinMatrix, or selected rows of it, as its non-empty tiles of 8 x 8, for tensor cores.
/// A band is 64 rows; a step of a band is eight columns in which any of its eight tiles exists.
struct SameSpinTilesView {
  static constexpr int kTileRows = 8;
  static constexpr int kTileColumns = 8;
  static constexpr int kTileSize = kTileRows * kTileColumns;
  static constexpr int kBandTiles = 8;
  static constexpr int kBandRows = kBandTiles * kTileRows;

  struct Step {
    Column column;       // the tile has columns 8 column to 8 column + 7
    std::int32_t tiles;  // bit i: tile i of the band exists
    Index first;         // number of its first tile
  };

  Index rows;
  Index columns;
  const Index* bands;  // first step of each band, and the end
  const Step* steps;
  const double* values;  // tiles in fragment order: 2 values for each lane of a warp
};

/// Workspace of sigma_beta on a device, in doubles: rows of x transposed to beta strings by alpha
/// strings, as many alpha strings at once as 256 MiB hold. `width`: a row, padded for 16-byte
/// copies.
struct TransposedRows {
  static CISOLVE_HOST_DEVICE Index width(Index alphas) { return (alphas + 1) / 2 * 2; }
  static Index at_once(Index alphas, Index betas);
  static Index numbers(Index alphas, Index betas) { return width(at_once(alphas, betas)) * betas; }
};

/// Non-empty tiles of a matrix.
Index count_tiles(const SameSpinMatrix& matrix);

class SameSpinTiles {
 public:
  SameSpinTiles(const SameSpinMatrix& matrix, const base::Backend& host);
  SameSpinTiles(const SameSpinMatrix& matrix, std::span<const Index> rows,
                const base::Backend& host);

  SameSpinTiles to(const base::Backend& target) const;
  SameSpinTilesView view() const;
  Index bands() const { return bands_.size() - 1; }
  Index bytes() const { return bands_.bytes() + steps_.bytes() + values_.bytes(); }

 private:
  SameSpinTiles(const SameSpinTiles& other, const base::Backend& target);

  Index rows_;
  Index columns_;
  base::Array<Index> bands_;
  base::Array<SameSpinTilesView::Step> steps_;
  base::Array<double> values_;
};

}  // namespace cisolve::ci

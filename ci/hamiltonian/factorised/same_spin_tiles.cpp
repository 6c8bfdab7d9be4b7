#include "ci/hamiltonian/factorised/same_spin_tiles.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

using View = SameSpinTilesView;

constexpr auto kTilesLabel = "the tiles of string matrices";

/// Position of an element in its tile: lane 4 row + column % 4 holds one element of the first four
/// columns, then one of the last four.
Index place_in_tile(Index row, Index column) { return 2 * (4 * row + column % 4) + column / 4; }

std::vector<Index> all_rows(const SameSpinMatrix& matrix) {
  std::vector<Index> rows(matrix.rows());
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

/// Calls work(band, its rows) on all threads, or on this one if the matrix is small.
template <class Work>
void for_each_band(const SameSpinMatrix& matrix, std::span<const Index> rows,
                   const base::Backend& host, Work&& work) {
  const Index bands = (std::ssize(rows) + View::kBandRows - 1) / View::kBandRows;
  const Index grain = is_small_matrix(matrix) ? std::max<Index>(bands, 1) : 1;
  base::for_each_chunk(bands, grain, host, [&](Index first, Index last) {
    for (Index band = first; band < last; ++band) {
      const Index begin = band * View::kBandRows;
      const Index end = std::min(begin + View::kBandRows, std::ssize(rows));
      work(band, rows.subspan(begin, end - begin));
    }
  });
}

/// Bit masks of a band's tiles, for each group of eight columns.
std::vector<std::int32_t> tiles_of_band(const SameSpinMatrix& matrix, std::span<const Index> band) {
  std::vector<std::int32_t> tiles((matrix.rows() + View::kTileColumns - 1) / View::kTileColumns);
  for (std::size_t i = 0; i < band.size(); ++i)
    for (Index k = matrix.offsets[band[i]]; k < matrix.offsets[band[i] + 1]; ++k)
      tiles[matrix.columns[k] / View::kTileColumns] |= 1 << (i / View::kTileRows);
  return tiles;
}

void fill_band(const SameSpinMatrix& matrix, std::span<const Index> band,
               std::span<const View::Step> steps, double* values) {
  std::vector<const View::Step*> step_of((matrix.rows() + View::kTileColumns - 1) /
                                         View::kTileColumns);
  for (const View::Step& step : steps) {
    step_of[step.column] = &step;
    std::fill_n(values + step.first * View::kTileSize,
                std::popcount(static_cast<unsigned>(step.tiles)) * View::kTileSize, 0.0);
  }
  for (std::size_t i = 0; i < band.size(); ++i)
    for (Index k = matrix.offsets[band[i]]; k < matrix.offsets[band[i] + 1]; ++k) {
      const Index column = matrix.columns[k];
      const View::Step& step = *step_of[column / View::kTileColumns];
      const auto below = static_cast<unsigned>(step.tiles) & ((1U << (i / View::kTileRows)) - 1);
      const Index tile = step.first + std::popcount(below);
      values[tile * View::kTileSize +
             place_in_tile(static_cast<Index>(i) % View::kTileRows, column % View::kTileColumns)] =
          matrix.values[k];
    }
}

}  // namespace

Index TransposedRows::at_once(Index alphas, Index betas) {
  constexpr Index kMost = Index{1} << 25;  // elements: 256 MiB
  constexpr Index kOfBlock = 128;          // alpha strings of a thread block
  const Index most = std::max<Index>(kMost / std::max<Index>(betas, 1), 1);
  return std::min(alphas, most < kOfBlock ? most : most / kOfBlock * kOfBlock);
}

Index count_tiles(const SameSpinMatrix& matrix) {
  std::atomic<Index> tiles = 0;
  const std::vector<Index> rows = all_rows(matrix);
  for_each_band(matrix, rows, matrix.offsets.backend(), [&](Index, std::span<const Index> of_band) {
    for (const std::int32_t here : tiles_of_band(matrix, of_band))
      tiles += std::popcount(static_cast<unsigned>(here));
  });
  return tiles;
}

SameSpinTiles::SameSpinTiles(const SameSpinMatrix& matrix, const base::Backend& host)
    : SameSpinTiles(matrix, all_rows(matrix), host) {}

SameSpinTiles::SameSpinTiles(const SameSpinMatrix& matrix, std::span<const Index> rows,
                             const base::Backend& host)
    : rows_(std::ssize(rows)),
      columns_(matrix.rows()),
      bands_(host, (rows_ + View::kBandRows - 1) / View::kBandRows + 1, kTilesLabel),
      steps_(host, 0, kTilesLabel),
      values_(host, 0, kTilesLabel) {
  std::vector<std::vector<std::int32_t>> found(bands());
  for_each_band(matrix, rows, host, [&](Index band, std::span<const Index> of_band) {
    found[band] = tiles_of_band(matrix, of_band);
  });
  std::vector<View::Step> steps;
  Index tiles = 0;
  for (Index band = 0; band < bands(); ++band) {
    bands_[band] = std::ssize(steps);
    for (std::size_t column = 0; column < found[band].size(); ++column) {
      const std::int32_t here = found[band][column];
      if (here == 0) continue;
      steps.push_back({static_cast<Column>(column), here, tiles});
      tiles += std::popcount(static_cast<unsigned>(here));
    }
  }
  bands_[bands()] = std::ssize(steps);
  steps_ = base::Array<View::Step>::copy_of(steps, host, kTilesLabel);
  values_ = base::Array<double>(host, tiles * View::kTileSize, kTilesLabel);
  for_each_band(matrix, rows, host, [&](Index band, std::span<const Index> of_band) {
    fill_band(matrix, of_band, steps_.span().subspan(bands_[band], bands_[band + 1] - bands_[band]),
              values_.data());
  });
}

SameSpinTiles::SameSpinTiles(const SameSpinTiles& other, const base::Backend& target)
    : rows_(other.rows_),
      columns_(other.columns_),
      bands_(other.bands_.to(target)),
      steps_(other.steps_.to(target)),
      values_(other.values_.to(target)) {}

SameSpinTiles SameSpinTiles::to(const base::Backend& target) const { return {*this, target}; }

SameSpinTilesView SameSpinTiles::view() const {
  return {rows_, columns_, bands_.data(), steps_.data(), values_.data()};
}

}  // namespace cisolve::ci

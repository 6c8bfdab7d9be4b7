#include "sparse/diagonal/band_pairs.hpp"

#include <algorithm>
#include <limits>

namespace cisolve::sparse {
namespace {

using Band = BandPairs::Band;

struct Reach {
  Index low = std::numeric_limits<Index>::max();
  Index high = std::numeric_limits<Index>::min();

  void take(Index shift) {
    low = std::min(low, shift);
    high = std::max(high, shift);
  }
  Index width() const { return high - low + 1; }
  Band band() const { return band_of(low, width()); }
  static Band band_of(Index low, Index width) {
    return {low, std::vector(width + 2 * BandPairs::kMargin, BandPairs::kNone)};
  }
};

/// Row 0 of a diagonal as 32 bits, or kNone if some row's position does not fit.
std::int32_t narrow(Index base, Index rows) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  const bool fits = base > BandPairs::kNone && base + rows < most && rows < most / 2;
  return fits ? static_cast<std::int32_t>(base) : BandPairs::kNone;
}

/// True if the tile contains an output diagonal.
bool is_wanted(const Band& c, Index column) {
  const auto first = c.bases.begin() + BandPairs::kMargin + column - (BandPairs::kRows - 1);
  return std::any_of(first, first + BandPairs::kRows - 1 + BandPairs::kColumns,
                     [](std::int32_t base) { return base != BandPairs::kNone; });
}

/// Multiply-adds of one block, summed over its warps: each covers the columns of A from the first
/// to the last that its rows and columns need.
double done_in_block(const BandPairs& bands) {
  const Index reach_a = bands.a.width() - 1;
  const Index reach_b = bands.b.width() - 1;
  constexpr Index corner = BandPairs::kCorner;
  Index steps = 0;
  for (Index tile = 0; tile < bands.tiles * BandPairs::kColumns; tile += BandPairs::kColumns) {
    if (!is_wanted(bands.c, tile)) continue;
    for (Index column = tile; column < tile + BandPairs::kColumns; column += corner)
      for (Index row = 0; row < BandPairs::kRows; row += corner) {
        const Index first = std::max(row, column - reach_b);
        const Index last = std::min(row + corner - 1 + reach_a, column + corner - 1);
        if (last >= first) steps += (last - first) / BandPairs::kDepth + 2;
      }
  }
  return static_cast<double>(steps * BandPairs::kDepth * corner * corner);
}

}  // namespace

std::optional<BandPairs> BandPairs::of(const ProductPairs& all) {
  if (all.pairs.empty()) return std::nullopt;
  BandPairs found;
  Reach reach_a;
  Reach reach_b;
  const auto outputs = std::ssize(all.outputs);
  for (Index k = 0; k < outputs; ++k)
    for (Index t = all.offsets[k]; t < all.offsets[k + 1]; ++t) {
      reach_a.take(all.steps[t]);
      reach_b.take(all.outputs[k].shift - all.steps[t]);
      found.multiply_adds +=
          static_cast<double>(std::max<Index>(0, all.last_row(k, t) - all.first_row(k, t)));
    }
  if (std::max(reach_a.width(), reach_b.width()) > kWidest) return std::nullopt;
  found.a = reach_a.band();
  found.b = reach_b.band();
  found.c = Reach::band_of(found.a.low + found.b.low, found.a.width() + found.b.width() - 1);
  const Index longest = std::max({all.rows, all.inner, all.columns});
  for (Index k = 0; k < outputs; ++k) {
    const Index slot = all.outputs[k].shift - found.c.low;
    if (slot < 0 || slot >= found.c.width()) return std::nullopt;
    found.c.base(slot) = narrow(all.outputs[k].base, longest);
    if (found.c.base(slot) == kNone) return std::nullopt;
    for (Index t = all.offsets[k]; t < all.offsets[k + 1]; ++t) {
      const Index step = all.steps[t];
      const std::int32_t of_a = narrow(all.pairs[t].a, longest);
      const std::int32_t of_b = narrow(all.pairs[t].b - step, longest);
      if (of_a == kNone || of_b == kNone) return std::nullopt;
      found.a.base(step - found.a.low) = of_a;
      found.b.base(all.outputs[k].shift - step - found.b.low) = of_b;
    }
  }
  found.blocks = (all.rows + kRows - 1) / kRows;
  found.tiles = (found.c.width() + kRows - 1 + kColumns - 1) / kColumns;
  found.of_tiles = static_cast<double>(found.blocks) * done_in_block(found);
  return found;
}

}  // namespace cisolve::sparse

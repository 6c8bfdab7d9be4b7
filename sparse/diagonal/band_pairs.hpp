#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sparse/diagonal/pairs.hpp"

namespace cisolve::sparse {

/// A product C = A B of full bands, or of bands with few gaps, as dense tiles. Rows of C are cut
/// into blocks of kRows; the parts of A and B that a block needs become dense matrices with zeros
/// outside the bands and in gaps (so a NaN or infinity spreads to other elements of its row). Slot
/// t of a band is the diagonal with shift low + t. In row r of a block, slot t of A is in column t
/// + r and slot s of C in column s + r; in row q of B (column q of A), slot t is in column t + q.
struct BandPairs {
  static constexpr Index kRows = 128;    // rows per block
  static constexpr Index kColumns = 64;  // columns per tile of C
  static constexpr Index kDepth = 16;    // inner columns multiplied at once
  static constexpr Index kCorner = 32;   // rows and columns of a warp's part of a tile
  // Slots without a diagonal on either side of a band, which tiles may look up.
  static constexpr Index kMargin = 256;
  static constexpr Index kWidest = Index{1} << 20;
  static_assert(kMargin >= kRows + 2 * kColumns);
  /// Marks no diagonal.
  static constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min();

  struct Band {
    Index low = 0;
    std::vector<std::int32_t> bases =
        {};  // row 0 of each diagonal in the values, indexed by kMargin + slot; or kNone

    Index width() const { return std::ssize(bases) - 2 * kMargin; }
    std::int32_t& base(Index slot) { return bases[kMargin + slot]; }
  };

  Band a;
  Band b;
  Band c;  // diagonals that are written
  Index blocks = 0;
  Index tiles = 0;           // tiles per block
  double multiply_adds = 0;  // required by the pairs
  double of_tiles = 0;       // performed by the tiles

  /// Returns nullopt if there are no pairs, an output is outside the band, positions exceed 32
  /// bits, or a band is wider than kWidest.
  static std::optional<BandPairs> of(const ProductPairs& all);
};

}  // namespace cisolve::sparse

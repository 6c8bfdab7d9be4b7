#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sparse/diagonal/pairs.hpp"

namespace cisolve::sparse {

/// A product of full bands, or of such that have few gaps: rows of the result are cut into blocks,
/// and what a block needs of A and B are dense matrices, zeros outside of the bands and in gaps
/// included, so that what is not finite spreads to others of its row. Slot t of a band is its
/// diagonal with shift low + t. Of row r of a block A has slot t in column t + r, and the result
/// slot s in column s + r; of its row q, which A has as a column, B has slot t in column t + q.
struct BandPairs {
  static constexpr Index kRows = 128;    // of a block
  static constexpr Index kColumns = 64;  // of a tile of the result
  static constexpr Index kDepth = 16;    // of what is multiplied at once
  static constexpr Index kCorner = 32;   // rows and columns of the tile that a warp has
  // Slots beside a band that tiles ask about, and which have no diagonal.
  static constexpr Index kBeside = 256;
  static constexpr Index kWidest = Index{1} << 20;
  static_assert(kBeside >= kRows + 2 * kColumns);
  static constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min();  // no diagonal

  struct Band {
    Index low = 0;
    std::vector<std::int32_t> bases = {};  // of the diagonals, by kBeside + slot, or kNone

    Index width() const { return std::ssize(bases) - 2 * kBeside; }
    std::int32_t& base(Index slot) { return bases[kBeside + slot]; }
  };

  Band a;
  Band b;
  Band c;  // where outputs stand
  Index blocks = 0;
  Index tiles = 0;           // of a block
  double multiply_adds = 0;  // that pairs need
  double of_tiles = 0;       // that are done

  /// None where there are no pairs, some output lies outside of the band, places have no 32 bits,
  /// or a band is wider than kWidest.
  static std::optional<BandPairs> of(const ProductPairs& all);
};

}  // namespace cisolve::sparse

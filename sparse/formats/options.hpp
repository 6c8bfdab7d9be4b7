#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sparse/rows/shape.hpp"

namespace cisolve::sparse {

/// How the hybrid format divides a row between its ELLPACK and its CSR part.
enum class BoundaryPolicy {
  count,   // the first BOUNDARY non-zeros of a row (Algorithm 6 of the 2018 paper)
  column,  // the columns below BOUNDARY (the other reading of the paper's text)
};

/// How a format holds the values of its elements.
enum class Values {
  plain,  // as they are
  coded,  // as numbers of a table of those that occur, lossless; what the table lacks is held
          // plain, and all of a matrix that has too many of them
};

inline constexpr Index kAutomatic = -1;

/// How much of a matrix is stored where a product computes the rest of its rows.
struct Share {
  double elements = 1;       // of the non-zeros, at most
  Index bytes = kAutomatic;  // at most; automatic: as many as are left
};

struct FormatOptions {
  std::string format = "hybrid";
  Index boundary = kAutomatic;  // hybrid
  BoundaryPolicy policy = BoundaryPolicy::count;
  Index slice_height = 32;        // sell, sell-r
  Index block_size = kAutomatic;  // csb; columns of a tile (tiled)
  Values values = Values::plain;  // coded: sell, tiled
  int vectors = 1;                // that a product is made for, at once (tiled)

  /// For coded values: magnitudes that many elements have, ascending. Where there are none, those
  /// of the source stand in.
  std::vector<double> magnitudes = {};

  /// None: the whole matrix is stored. No format heeds it, but whoever mixes stored rows with
  /// computed ones.
  std::optional<Share> share = std::nullopt;
};

struct MemoryUse {
  Index by_formula = 0;  // with 4-byte indices, as the paper counts (formulas.hpp)
  Index held = 0;        // what is really allocated
  Index padding = 0;     // stored positions that hold no element
};

}  // namespace cisolve::sparse

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sparse/rows/shape.hpp"

namespace cisolve::sparse {

/// Division of a row between the ELLPACK and CSR parts of the hybrid format.
enum class BoundaryPolicy {
  count,   // the first BOUNDARY non-zeros of a row (Algorithm 6 of the 2018 paper)
  column,  // the columns below BOUNDARY (the other reading of the paper's text)
};

/// Storage of an element's value.
enum class ValueEncoding {
  plain,  // each value is a double
  coded,  // each value is an index into a table of values or magnitudes, lossless. Values not in
          // the table stay plain; so does the whole matrix if it has too many values
};

inline constexpr Index kAutomatic = -1;

/// Part of a matrix that is stored if a product computes the remaining rows on the fly.
struct StoredFraction {
  double elements = 1;       // maximum fraction of the non-zeros, 0 to 1
  Index bytes = kAutomatic;  // maximum; automatic: as many as are free
};

struct FormatOptions {
  std::string format = "hybrid";
  Index boundary = kAutomatic;  // hybrid
  BoundaryPolicy policy = BoundaryPolicy::count;
  Index slice_height = 32;                      // sell, sell-r
  Index block_size = kAutomatic;                // csb; columns of a tile (tiled)
  ValueEncoding values = ValueEncoding::plain;  // coded: sell, tiled
  int vectors = 1;                              // vectors per product (tiled)

  /// Magnitudes of coded values that are common to many elements, ascending. If empty, the source's
  /// common_magnitudes() are used.
  std::vector<double> magnitudes = {};

  /// nullopt: the whole matrix is stored. Ignored by the formats; used by products that mix stored
  /// and computed rows.
  std::optional<StoredFraction> share = std::nullopt;
};

struct MemoryUse {
  Index by_formula = 0;  // bytes with 4-byte indices, as the paper counts (formulas.hpp)
  Index held = 0;        // bytes really allocated
  Index padding = 0;     // stored positions without an element
};

}  // namespace cisolve::sparse

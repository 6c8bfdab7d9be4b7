#pragma once

#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// What a few windows of neighbouring rows tell of the cost of a matrix's products. A line is 32
/// bytes of x, in which the vectors of a block stand side by side: what memory gives at once.
struct RowProfile {
  static constexpr Index kWindow = 32;  // rows, and elements that are read together
  static constexpr Index kTileColumns = 8192;

  Index rows = 0;
  Index columns = 0;
  int vectors = 1;
  double mean = 0;          // non-zeros of a row
  double deviation = 0;     // standard
  double fill = 1;          // of slices of 32 rows: the share of their positions that is needed
  double row_lines = 1;     // of an element, where neighbours in a row are read together
  double slice_lines = 1;   // likewise, where those of neighbouring rows are
  double window_lines = 1;  // likewise, where all that a window needs is read once
  double tile_parts = 1;    // of an element, where rows are cut into tiles of columns

  double nonzeros() const { return mean * static_cast<double>(rows); }
};

/// In parallel; always of the same rows.
RowProfile sample_profile(const RowSource& rows, int vectors, const base::Backend& host);

}  // namespace cisolve::sparse

#pragma once

#include "sparse/rows/row_source.hpp"
#include "sparse/rows/value_slots.hpp"

namespace cisolve::sparse {

/// Statistics of a few windows of neighbouring rows, from which product times are predicted.
struct RowProfile {
  static constexpr Index kWindow = 32;         // rows
  static constexpr Index kLine = 4;            // columns per sector of memory
  static constexpr Index kTileColumns = 8192;  // divided by the number of vectors
  static constexpr Index kMostDiagonals = 4096;
  static constexpr double kDiagonalFill = 0.8;  // below this, storing diagonals does not pay

  Index rows = 0;
  Index columns = 0;
  int vectors = 1;
  double mean = 0;        // non-zeros per row
  double deviation = 0;   // standard deviation
  double longest = 0;     // longest of the sampled rows and the first row
  double fill = 1;        // fraction of positions with an element in slices of 32 rows
  double scatter = 1;     // memory sectors of x read by a window, per element
  double tile_parts = 1;  // (row, tile) pairs per element if rows are cut into tiles of columns
  // Distinct diagonals in the windows; 0 if too many to be stored.
  Index diagonals = 0;
  double diagonal_fill = 0;  // fraction of their positions with an element
  bool symmetric = false;
  // Distinct values of the sampled elements, at most one more than the slots of ValueSlots.
  Index values = ValueSlots::kSlots + 1;
  Index off_diagonal_values = ValueSlots::kSlots + 1;  // off the diagonal

  bool has_codes() const { return MatrixValues::codes_suffice(values, off_diagonal_values); }
  bool has_diagonals() const { return diagonals > 0 && diagonal_fill >= kDiagonalFill; }
  double nonzeros() const { return mean * static_cast<double>(rows); }
};

/// Runs in parallel; always samples the same rows.
RowProfile sample_profile(const RowSource& rows, int vectors, const base::Backend& host);

}  // namespace cisolve::sparse

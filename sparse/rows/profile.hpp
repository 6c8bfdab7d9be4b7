#pragma once

#include "sparse/rows/row_source.hpp"
#include "sparse/rows/value_slots.hpp"

namespace cisolve::sparse {

/// What a few windows of neighbouring rows tell of the cost of a matrix's products.
struct RowProfile {
  static constexpr Index kWindow = 32;         // rows
  static constexpr Index kLine = 4;            // columns that memory gives at once
  static constexpr Index kTileColumns = 8192;  // over the vectors
  static constexpr Index kMostDiagonals = 4096;
  static constexpr double kDiagonalFill = 0.8;  // less is not worth to store diagonals

  Index rows = 0;
  Index columns = 0;
  int vectors = 1;
  double mean = 0;        // non-zeros of a row
  double deviation = 0;   // standard
  double longest = 0;     // of those that were looked at, and of the first row
  double fill = 1;        // of slices of 32 rows: the share of their positions that is needed
  double scatter = 1;     // lines of columns that a window reads, for each of its elements
  double tile_parts = 1;  // of an element, where rows are cut into tiles of columns
  // Distinct diagonals that the windows meet; 0 where they are too many to be worth a thought.
  Index diagonals = 0;
  double diagonal_fill = 0;  // the share of their positions that is needed
  bool symmetric = false;
  // Distinct values of the elements that were read, up to one more than ValueSlots has room for.
  Index values = ValueSlots::kSlots + 1;
  Index values_beside = ValueSlots::kSlots + 1;  // the diagonal

  bool has_codes() const { return MatrixValues::codes_suffice(values, values_beside); }
  bool has_diagonals() const { return diagonals > 0 && diagonal_fill >= kDiagonalFill; }
  double nonzeros() const { return mean * static_cast<double>(rows); }
};

/// In parallel; always of the same rows.
RowProfile sample_profile(const RowSource& rows, int vectors, const base::Backend& host);

}  // namespace cisolve::sparse

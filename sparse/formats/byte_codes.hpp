#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "sparse/formats/coded_sliced.hpp"
#include "sparse/rows/value_slots.hpp"

// Coding in one pass over the rows: each element first gets the slot of its value; when all values
// are known, slots are replaced by codes.
namespace cisolve::sparse {

/// Table of values, and the code of each slot.
struct ByteCodes {
  using Numbers = std::array<std::uint8_t, ValueSlots::kSlots>;

  std::vector<double> table;
  bool with_diagonal = true;  // whether the table includes the diagonal
  Numbers off_diagonal = {};
  Numbers diagonal = {};
};

/// Returns nullopt if the values off the diagonal exceed the table.
std::optional<ByteCodes> number_values(const MatrixValues& values);

/// Allocates for these row lengths, on their backend, including the whole diagonal.
CodedSliced allocate_coded_sliced(const MatrixShape& shape, const FormatOptions& options,
                                  const base::Array<Column>& lengths);

/// Sets the table, and drops the diagonal if the table contains it.
void adopt_table(const ByteCodes& codes, CodedSliced& matrix);

/// Replaces the slots of a row by codes.
CISOLVE_HOST_DEVICE inline void renumber_row(const CodedSlicedView& a, Index row,
                                             const std::uint8_t* off_diagonal,
                                             const std::uint8_t* diagonal, std::uint8_t* codes) {
  const Index end = a.width(row / a.slice_height);
  Index place = a.position(row, 0);
  for (Index k = 0; k < end; ++k, place += a.slice_height) {
    if (a.column[place] < 0) return;
    codes[place] = (a.column[place] == row ? diagonal : off_diagonal)[codes[place]];
  }
}

}  // namespace cisolve::sparse

#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "sparse/formats/coded_sliced.hpp"
#include "sparse/rows/value_slots.hpp"

// How a coded matrix is made in one pass over its rows: each element is given the slot of its value
// first, and all slots their codes once every value is known.
namespace cisolve::sparse {

/// What slots stand for in the end.
struct ValueCodes {
  using Numbers = std::array<std::uint8_t, ValueSlots::kSlots>;

  std::vector<double> table;
  bool with_diagonal = true;  // in the table
  Numbers beside = {};
  Numbers diagonal = {};
};

/// None where the table has no room for the values off the diagonal.
std::optional<ValueCodes> number_values(const MatrixValues& values);

/// Room for a matrix with so many elements a row, where the lengths lie, and for its whole
/// diagonal.
CodedSliced make_coded_room(const MatrixShape& shape, const FormatOptions& options,
                            const base::Array<Column>& lengths);

/// Gives the matrix its table, and leaves it the diagonal only where that is needed.
void set_table(const ValueCodes& codes, CodedSliced& matrix);

/// Puts codes in the place of the slots of a row.
CISOLVE_HOST_DEVICE inline void renumber_row(const CodedSlicedView& a, Index row,
                                             const std::uint8_t* beside,
                                             const std::uint8_t* diagonal, std::uint8_t* codes) {
  const Index end = a.width(row / a.slice_height);
  Index place = a.position(row, 0);
  for (Index k = 0; k < end; ++k, place += a.slice_height) {
    if (a.column[place] < 0) return;
    codes[place] = (a.column[place] == row ? diagonal : beside)[codes[place]];
  }
}

}  // namespace cisolve::sparse

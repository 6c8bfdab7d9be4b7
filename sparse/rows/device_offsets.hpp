#pragma once

#include <string_view>

#include "base/array.hpp"
#include "base/offsets.hpp"

// Row offsets from lengths counted on a device: base::offsets_from() of the host without
// transferring the lengths. All arrays are on the device of the lengths.
namespace cisolve::sparse {

using base::Column;
using base::Index;

/// offsets[i] = sum of the first i lengths; has one element more than `lengths`.
base::Array<Index> offsets_on_device(const base::Array<Column>& lengths, std::string_view what);

/// offsets[i] = before + sum of the first i of `count` lengths; has count + 1 elements.
void accumulate_offsets_on_device(const base::Backend& device, const Column* lengths, Index count,
                                  Index before, Index* offsets);

/// The sum of all lengths.
Index total_on_device(const base::Array<Column>& lengths);

/// Begin of each slice of `height` rows, padded to its longest row; and the end.
base::Array<Index> slice_offsets_on_device(const base::Array<Column>& lengths, Index height,
                                           std::string_view what);

/// Position of the first element of each of `rows` rows within its slice.
base::Array<Index> rows_of_slices(const base::Array<Index>& slice_offsets, Index height, Index rows,
                                  std::string_view what);

/// The last value of a non-empty array on any backend.
inline Index last_of(const base::Array<Index>& values) {
  Index last = 0;
  base::copy_bytes(values.backend(), values.data() + values.size() - 1, values.backend().host(),
                   &last, sizeof last);
  return last;
}

}  // namespace cisolve::sparse

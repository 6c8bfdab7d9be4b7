#pragma once

#include <string_view>

#include "base/array.hpp"

// Where rows begin whose lengths a device has counted: what offsets_from says on the host, with no
// walk over the rows there. All arrays are on the device that has the lengths.
namespace cisolve::sparse {

using base::Column;
using base::Index;

/// offsets[i] = sum of the first i lengths; one more than there are lengths.
base::Array<Index> offsets_on_device(const base::Array<Column>& lengths, std::string_view what);

/// offsets[i] = before + sum of the first i of `count` lengths; one more than there are lengths.
void add_up_on_device(const base::Backend& device, const Column* lengths, Index count, Index before,
                      Index* offsets);

/// The sum of all lengths.
Index total_on_device(const base::Array<Column>& lengths);

/// Where slices of `height` rows begin, each with room for its longest row in each of its rows;
/// and the end.
base::Array<Index> slice_offsets_on_device(const base::Array<Column>& lengths, Index height,
                                           std::string_view what);

/// Where each of `rows` rows begins, side by side in its slice.
base::Array<Index> rows_of_slices(const base::Array<Index>& slice_offsets, Index height, Index rows,
                                  std::string_view what);

/// The last value of an array that is not empty, wherever it lies.
inline Index last_of(const base::Array<Index>& values) {
  Index last = 0;
  base::copy_bytes(values.backend(), values.data() + values.size() - 1, values.backend().host(),
                   &last, sizeof last);
  return last;
}

}  // namespace cisolve::sparse

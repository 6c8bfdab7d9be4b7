#pragma once

#include <iosfwd>
#include <string_view>

#include "base/array.hpp"
#include "base/host_device.hpp"
#include "sparse/formats/options.hpp"
#include "sparse/rows/device_rows.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// Sliced ELLPACK (Monakov et al. 2010): slices of rows, each padded to its longest row and stored
/// by columns, so that neighbouring threads read neighbouring words. ELLPACK is one slice. A padded
/// position holds the value 0 and the column -1, which ends the row; x is not read for it.
struct SlicedView {
  Index rows = 0;
  Index columns = 0;
  Index slice_height = 1;
  const Index* slice_offsets = nullptr;
  const Column* column = nullptr;
  const double* value = nullptr;
  const Column* lengths = nullptr;  // set for the -R formats only
  Index positions = 0;              // positions of all slices

  CISOLVE_HOST_DEVICE Index width(Index slice) const {
    return (slice_offsets[slice + 1] - slice_offsets[slice]) / slice_height;
  }
  CISOLVE_HOST_DEVICE Index position(Index row, Index k) const {
    const Index slice = row / slice_height;
    return slice_offsets[slice] + k * slice_height + (row - slice * slice_height);
  }

  /// Calls visit(column, value) for the elements of `row` assigned to `lane` of `lanes` threads.
  template <class Visit>
  CISOLVE_HOST_DEVICE void visit(Index row, int lane, int lanes, Visit&& visit) const {
    const Index end = lengths != nullptr ? lengths[row] : width(row / slice_height);
    const Index first = position(row, 0);
    for (Index k = lane; k < end; k += lanes) {
      const Column j = column[first + k * slice_height];
      if (j < 0) return;
      visit(Index{j}, value[first + k * slice_height]);
    }
  }
};

/// ELLPACK, ELLPACK-R, sliced ELLPACK and sliced ELLPACK-R: one slice or many, with or without row
/// lengths.
struct Sliced {
  using View = SlicedView;
  std::string_view name;
  MatrixShape shape;
  Index slice_height;
  Index elements;
  base::Array<Index> slice_offsets;
  base::Array<Column> columns;
  base::Array<double> values;
  base::Array<Column> lengths;  // empty without -R

  Index nonzeros() const { return elements; }
  Index slices() const { return slice_offsets.size() - 1; }
  MemoryUse memory() const;
  SlicedView view() const;
  Sliced to(const base::Backend& target) const;
  void write_components(std::ostream& out) const;
};

/// Begin of each slice, and the end; on the backend of the lengths.
base::Array<Index> slice_offsets(const base::Array<Column>& lengths, const FormatOptions& options);

/// Memory of the format.
MemoryUse plan_sliced(std::span<const Column> lengths, const FormatOptions& options);

/// `options.format` is ellpack, ellpack-r, sell or sell-r.
Sliced build_sliced(const RowSource& rows, const FormatOptions& options, const base::Backend& host);

/// Builds on a device, in its memory.
Sliced build_sliced(const DeviceRows& rows, const FormatOptions& options);

}  // namespace cisolve::sparse

#pragma once

#include <iosfwd>

#include "base/array.hpp"
#include "base/host_device.hpp"
#include "sparse/formats/options.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// The hybrid ELLPACK + CSR format as a kernel sees it. The ELLPACK part is stored row by row,
/// since one warp walks along a row and reads neighbouring words; the CSR part holds the rest.
struct HybridView {
  Index rows = 0;
  Index columns = 0;
  Index width = 0;                  // positions a row has in the ELLPACK part
  const Column* lengths = nullptr;  // of each row in the ELLPACK part
  const Column* ell_column = nullptr;
  const double* ell_value = nullptr;
  const Index* tail_offsets = nullptr;
  const Column* tail_column = nullptr;
  const double* tail_value = nullptr;
  Index elements = 0;

  /// Calls visit(column, value) for the elements of a row that belong to one of `lanes` threads.
  template <class Visit>
  CISOLVE_HOST_DEVICE void visit(Index row, int lane, int lanes, Visit&& visit) const {
    const Index first = row * width;
    const Index end = first + lengths[row];
    for (Index k = first + lane; k < end; k += lanes) visit(Index{ell_column[k]}, ell_value[k]);
    const Index tail_end = tail_offsets[row + 1];
    for (Index k = tail_offsets[row] + lane; k < tail_end; k += lanes)
      visit(Index{tail_column[k]}, tail_value[k]);
  }
};

/// The format of the 2018 paper. Padded positions hold the value 0 and the column -1 and are never
/// read: each row knows its length.
struct Hybrid {
  using View = HybridView;
  static constexpr std::string_view name = "hybrid";
  MatrixShape shape;
  Index boundary;  // as chosen: a count of non-zeros or a column, by policy
  BoundaryPolicy policy;
  Index width;
  Index elements;
  base::Array<Column> lengths;
  base::Array<Column> ell_columns;
  base::Array<double> ell_values;
  base::Array<Index> tail_offsets;
  base::Array<Column> tail_columns;
  base::Array<double> tail_values;

  Index nonzeros() const { return elements; }
  MemoryUse memory() const;
  HybridView view() const;
  Hybrid to(const base::Backend& target) const;
  void write_components(std::ostream& out) const;
};

/// options.boundary, or what is chosen where it is automatic.
Index chosen_boundary(const FormatOptions& options, std::span<const Column> lengths,
                      const MatrixShape& shape);

/// What the format would hold; for a BOUNDARY that is a number. The column policy reads the rows.
MemoryUse plan_hybrid(const RowSource& rows, std::span<const Column> lengths,
                      const FormatOptions& options, const base::Backend& host);

Hybrid build_hybrid(const RowSource& rows, const FormatOptions& options, const base::Backend& host);

/// Built on a device, in its memory.
Hybrid build_hybrid(const DeviceRows& rows, const FormatOptions& options);

/// The automatic BOUNDARY of the count policy: the widest ELLPACK part that few rows leave
/// unfilled. One more position a row costs a padded element in each shorter row and saves the
/// dearer CSR handling in every other one, so it pays while the share of shorter rows is small.
/// Wide parts are a multiple of 32 wide, so that each row begins at a line of memory.
Index automatic_boundary(std::span<const Column> lengths);

}  // namespace cisolve::sparse

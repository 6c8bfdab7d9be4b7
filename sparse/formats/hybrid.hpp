#pragma once

#include <iosfwd>

#include "base/array.hpp"
#include "base/host_device.hpp"
#include "sparse/formats/options.hpp"
#include "sparse/rows/device_rows.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// The hybrid ELLPACK + CSR format as a kernel sees it. The ELLPACK part is stored row by row,
/// since one warp reads consecutive words along a row; the CSR part holds the rest.
struct HybridView {
  Index rows = 0;
  Index columns = 0;
  Index width = 0;                  // positions per row of the ELLPACK part
  const Column* lengths = nullptr;  // length of each row in the ELLPACK part
  const Column* ell_column = nullptr;
  const double* ell_value = nullptr;
  const Index* tail_offsets = nullptr;
  const Column* tail_column = nullptr;
  const double* tail_value = nullptr;
  Index elements = 0;

  /// Calls visit(column, value) for the elements of `row` assigned to `lane` of `lanes` threads.
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
/// read, since row lengths are stored.
struct Hybrid {
  using View = HybridView;
  static constexpr std::string_view name = "hybrid";
  MatrixShape shape;
  Index boundary;  // depends on the policy: a number of non-zeros per row, or a column
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

/// Returns options.boundary or, if that is automatic, the choice of the policy.
Index chosen_boundary(const FormatOptions& options, std::span<const Column> lengths,
                      const MatrixShape& shape);

/// Memory of the format; requires a numeric BOUNDARY. The column policy reads the rows.
MemoryUse plan_hybrid(const RowSource& rows, std::span<const Column> lengths,
                      const FormatOptions& options, const base::Backend& host);

Hybrid build_hybrid(const RowSource& rows, const FormatOptions& options, const base::Backend& host);

/// Builds on a device, in its memory.
Hybrid build_hybrid(const DeviceRows& rows, const FormatOptions& options);

/// Automatic BOUNDARY of the count policy: the widest ELLPACK part that at most a tenth of the rows
/// do not fill. One more position per row costs a padded element in each shorter row and saves the
/// slower CSR access in the others. Wide parts are multiples of 32, so that rows are aligned to
/// cache lines.
Index automatic_boundary(std::span<const Column> lengths);

}  // namespace cisolve::sparse

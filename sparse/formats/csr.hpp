#pragma once

#include <iosfwd>
#include <optional>

#include "base/array.hpp"
#include "base/host_device.hpp"
#include "sparse/formats/csr_segments.hpp"
#include "sparse/formats/options.hpp"
#include "sparse/rows/device_rows.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::sparse {

/// Compressed sparse rows as a kernel sees them.
struct CsrView {
  Index rows = 0;
  Index columns = 0;
  Index nonzeros = 0;
  const Index* offsets = nullptr;
  const Column* column = nullptr;
  const double* value = nullptr;
  SegmentView segments = {};

  /// Calls visit(column, value) for the elements of `row` assigned to `lane` of `lanes` threads.
  template <class Visit>
  CISOLVE_HOST_DEVICE void visit(Index row, int lane, int lanes, Visit&& visit) const {
    const Index end = offsets[row + 1];
    for (Index k = offsets[row] + lane; k < end; k += lanes) visit(Index{column[k]}, value[k]);
  }
};

/// Compressed sparse rows. Offsets have 64 bits, so the number of non-zeros is not limited.
struct Csr {
  using View = CsrView;
  static constexpr std::string_view name = "csr";
  MatrixShape shape;
  base::Array<Index> offsets;  // rows + 1
  base::Array<Column> columns;
  base::Array<double> values;
  std::optional<CsrSegments> segments = {};  // set on a device

  Index nonzeros() const { return values.size(); }
  MemoryUse memory() const;
  CsrView view() const {
    return {shape.rows,
            shape.columns,
            nonzeros(),
            offsets.data(),
            columns.data(),
            values.data(),
            segments ? segments->view() : SegmentView{}};
  }
  Csr to(const base::Backend& target) const;
  void write_components(std::ostream& out) const;
};

/// Allocates a matrix of the given size on a backend; the contents are not initialised.
Csr allocate_csr(const MatrixShape& shape, Index nonzeros, const base::Backend& backend);

/// Memory of the format on a host.
MemoryUse plan_csr(const MatrixShape& shape, Index nonzeros);

/// Memory of the format on the backend that multiplies; `lengths` are the row lengths.
MemoryUse plan_csr(const MatrixShape& shape, std::span<const Column> lengths,
                   const base::Backend& backend);

/// Builds on the host from any source of rows, in parallel.
Csr build_csr(const RowSource& rows, const base::Backend& host);

/// Builds on a device, in its memory.
Csr build_csr(const DeviceRows& rows);
/// Builds CSR with known row offsets in the device's memory.
Csr build_csr(const DeviceRows& rows, base::Array<Index> offsets);

/// The rows of a CSR matrix in host memory (not owned, must outlive this).
class CsrRows final : public RowSource {
 public:
  explicit CsrRows(const Csr& matrix) : matrix_(matrix) {}
  MatrixShape shape() const override { return matrix_.shape; }
  void count(Index first, std::span<Column> lengths) const override;
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override;

 private:
  const Csr& matrix_;
};

}  // namespace cisolve::sparse

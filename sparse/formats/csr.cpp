#include "sparse/formats/csr.hpp"

#include <algorithm>

#include "base/loops.hpp"
#include "base/offsets.hpp"
#include "sparse/formats/components.hpp"
#include "sparse/formats/formulas.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/rows/device_offsets.hpp"

namespace cisolve::sparse {

Csr Csr::to(const base::Backend& target) const {
  Csr copy{shape, offsets.to(target), columns.to(target), values.to(target)};
  if (target.is_host()) return copy;
  if (segments)
    copy.segments = segments->to(target);
  else if (values.backend().is_host())
    copy.segments = cut_into_segments(offsets.span(), target);
  return copy;
}

MemoryUse Csr::memory() const {
  const Index held = offsets.bytes() + columns.bytes() + values.bytes();
  return {csr_bytes(shape.rows, nonzeros()), held + (segments ? segments->bytes() : 0), 0};
}

MemoryUse plan_csr(const MatrixShape& shape, Index nonzeros) {
  return with_wide_offsets(csr_bytes(shape.rows, nonzeros), shape.rows + 1, 0);
}

MemoryUse plan_csr(const MatrixShape& shape, std::span<const Column> lengths,
                   const base::Backend& backend) {
  MemoryUse use = plan_csr(shape, total(lengths));
  if (!backend.is_host()) use.held += segment_bytes(lengths);
  return use;
}

void Csr::write_components(std::ostream& out) const {
  const Csr on_host = to(values.backend().host());
  write_list(out, "Value", on_host.values.span());
  write_list(out, "Column", on_host.columns.span());
  write_list(out, "RowPtr", on_host.offsets.span());
}

Csr allocate_csr(const MatrixShape& shape, Index nonzeros, const base::Backend& backend) {
  require_storable(shape);
  return {shape, base::Array<Index>(backend, shape.rows + 1, "CSR row offsets"),
          base::Array<Column>(backend, nonzeros, "CSR columns"),
          base::Array<double>(backend, nonzeros, "CSR values")};
}

Csr build_csr(const RowSource& rows, const base::Backend& host) {
  const MatrixShape shape = rows.shape();
  base::Array<Index> offsets =
      base::offsets_from(row_lengths(rows, host).span(), host, "CSR row offsets");
  const Index nonzeros = offsets[shape.rows];
  base::Array<Column> columns(host, nonzeros, "CSR columns");
  base::Array<double> values(host, nonzeros, "CSR values");
  base::for_each_chunk(shape.rows, rows.grain(), host, [&](Index first, Index last) {
    const Index begin = offsets[first];
    const Index size = offsets[last] - offsets[first];
    rows.fill(first, last, columns.span().subspan(begin, size), values.span().subspan(begin, size));
  });
  return {shape, std::move(offsets), std::move(columns), std::move(values)};
}

Csr build_csr(const DeviceRows& rows) {
  base::Array<Index> offsets =  // a separate statement, so that the lengths are freed before
      offsets_on_device(rows.lengths(rows.shape().columns), "CSR row offsets");
  return build_csr(rows, std::move(offsets));
}

Csr build_csr(const DeviceRows& rows, base::Array<Index> offsets) {
  const base::Backend& device = rows.device();
  const MatrixShape shape = rows.shape();
  const Index nonzeros = last_of(offsets);
  Csr matrix{shape, std::move(offsets), base::Array<Column>(device, nonzeros, "CSR columns"),
             base::Array<double>(device, nonzeros, "CSR values")};
  rows.fill({.tail_first = matrix.offsets.data(),
             .tail_columns = matrix.columns.data(),
             .tail_values = matrix.values.data()});
  matrix.segments = cut_into_segments(matrix.offsets.to(device.host()).span(), device);
  return matrix;
}

void CsrRows::count(Index first, std::span<Column> lengths) const {
  const Index* offsets = matrix_.offsets.data() + first;
  for (Index i = 0; i < std::ssize(lengths); ++i)
    lengths[i] = static_cast<Column>(offsets[i + 1] - offsets[i]);
}

void CsrRows::fill(Index first, Index last, std::span<Column> columns,
                   std::span<double> values) const {
  const Index begin = matrix_.offsets[first];
  const Index end = matrix_.offsets[last];
  std::copy(matrix_.columns.data() + begin, matrix_.columns.data() + end, columns.begin());
  std::copy(matrix_.values.data() + begin, matrix_.values.data() + end, values.begin());
}

}  // namespace cisolve::sparse

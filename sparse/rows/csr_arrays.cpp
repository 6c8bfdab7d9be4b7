#include "sparse/rows/csr_arrays.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace cisolve::sparse {
namespace {

/// A row of which the columns ascend and exist; the offsets of its ends are in range.
void require_ascending(const MatrixShape& shape, Index row, std::span<const Column> columns) {
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k] < (k == 0 ? 0 : columns[k - 1] + 1) || columns[k] >= shape.columns)
      base::fail(base::ErrorKind::bad_input, "row ", row, " of a CSR matrix has column ",
                 columns[k], " as its element ", k, "; expected ascending columns from 0 to ",
                 shape.columns - 1);
}

}  // namespace

CsrArrays::CsrArrays(const MatrixShape& shape, std::span<const Index> offsets,
                     std::span<const Column> columns, std::span<const double> values)
    : shape_(shape), offsets_(offsets), columns_(columns), values_(values) {
  require_storable(shape);
  if (std::ssize(offsets) != shape.rows + 1 || offsets.front() != 0 ||
      offsets.back() != std::ssize(columns) || columns.size() != values.size())
    base::fail(base::ErrorKind::bad_input, "a CSR matrix of ", shape.rows, " rows has ",
               offsets.size(), " offsets, ", columns.size(), " columns and ", values.size(),
               " values; expected ", shape.rows + 1,
               " offsets from 0 to the number of columns, and as many values");
  for (Index row = 0; row < shape.rows; ++row) {
    if (offsets[row] > offsets[row + 1] || offsets[row + 1] > std::ssize(columns))
      base::fail(base::ErrorKind::bad_input, "row ", row, " of a CSR matrix goes from offset ",
                 offsets[row], " to ", offsets[row + 1], "; expected ascending offsets up to ",
                 columns.size());
    require_ascending(shape, row, columns.subspan(offsets[row], offsets[row + 1] - offsets[row]));
  }
}

void CsrArrays::count(Index first, std::span<Column> lengths) const {
  for (Index i = 0; i < std::ssize(lengths); ++i)
    lengths[i] = static_cast<Column>(offsets_[first + i + 1] - offsets_[first + i]);
}

void CsrArrays::fill(Index first, Index last, std::span<Column> columns,
                     std::span<double> values) const {
  const Index size = offsets_[last] - offsets_[first];
  std::ranges::copy(columns_.subspan(offsets_[first], size), columns.begin());
  std::ranges::copy(values_.subspan(offsets_[first], size), values.begin());
}

}  // namespace cisolve::sparse

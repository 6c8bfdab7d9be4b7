#include "sparse/distributed/stored_rows.hpp"

#include <algorithm>

#include "sparse/rows/build.hpp"

namespace cisolve::sparse {

base::Array<double> diagonal_of(const RowSource& neighbours, std::span<const Column> lengths,
                                Index first, const base::Backend& host) {
  base::Array<double> diagonal(host, neighbours.shape().rows, "the diagonal of a rank's rows");
  std::ranges::fill(diagonal.span(), 0.0);
  for_each_row(neighbours, lengths, host, [&](const Row& row) {
    const auto place = std::ranges::lower_bound(row.columns, first + row.number);
    if (place != row.columns.end() && *place == first + row.number)
      diagonal[row.number] = row.values[place - row.columns.begin()];
  });
  return diagonal;
}

StoredRows::StoredRows(const RowSource& neighbours, Index first, base::Array<double> diagonal,
                       const FormatOptions& options, const base::Backend& backend)
    : columns_(neighbours.shape().columns),
      first_(first),
      diagonal_(std::move(diagonal)),
      backend_(backend) {
  if (diagonal_.size() > 0) matrix_ = build_matrix(neighbours, options, backend);
}

void StoredRows::apply(base::ConstBlock x, base::Block y) const {
  if (matrix_) matrix_->multiply(1, x, 0, y);
}

bool StoredRows::diagonal(base::Block d) const {
  base::copy_bytes(diagonal_.backend(), diagonal_.data(), backend_, d.column(0) + first_,
                   diagonal_.bytes());
  return true;
}

base::OperatorDescription StoredRows::description() const {
  return matrix_ ? matrix_->description() : base::OperatorDescription{};
}

}  // namespace cisolve::sparse

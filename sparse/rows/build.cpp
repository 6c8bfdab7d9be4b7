#include "sparse/rows/build.hpp"

#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "sparse/rows/device_rows.hpp"

namespace cisolve::sparse {

std::unique_ptr<DeviceRows> RowSource::on(const base::Backend& /*device*/) const { return nullptr; }

void require_storable(const MatrixShape& shape) {
  if (shape.rows < 0 || shape.columns < 0 || shape.rows > base::kLargestDimension ||
      shape.columns > base::kLargestDimension)
    base::fail(base::ErrorKind::bad_input, "a matrix of ", shape.rows, " x ", shape.columns,
               " cannot be stored; expected numbers of rows and columns from 0 to ",
               base::kLargestDimension);
  if (shape.reference_columns < 0 || shape.reference_columns > shape.columns)
    base::fail(base::ErrorKind::bad_input, shape.reference_columns, " reference columns of ",
               shape.columns, " columns; expected 0 to all of them");
  if (shape.symmetric && shape.rows != shape.columns)
    base::fail(base::ErrorKind::bad_input, "a symmetric matrix must be square, not ", shape.rows,
               " x ", shape.columns);
}

base::Array<Column> row_lengths(const RowSource& rows, const base::Backend& host) {
  require_storable(rows.shape());
  base::Array<Column> lengths(host, rows.shape().rows, "the row lengths");
  const std::span<Column> all = lengths.span();
  base::for_each_chunk(rows.shape().rows, rows.grain(), host, [&](Index first, Index last) {
    rows.count(first, all.subspan(first, last - first));
  });
  return lengths;
}

void for_each_row(const RowSource& rows, std::span<const Column> lengths, const base::Backend& host,
                  const std::function<void(const Row&)>& take) {
  const auto read = [&](Index first, Index last) {
    const auto mine = lengths.subspan(first, last - first);
    const Index size = total(mine);
    base::Array<Column> columns(host, size, "the rows read at once");
    base::Array<double> values(host, size, "the rows read at once");
    rows.fill(first, last, columns.span(), values.span());
    Index begin = 0;
    for (Index row = first; row < last; ++row) {
      const Index length = mine[row - first];
      take({row, std::as_const(columns).span().subspan(begin, length),
            std::as_const(values).span().subspan(begin, length)});
      begin += length;
    }
  };
  const Index most = most_read_at_once(host);
  base::for_each_chunk(rows.shape().rows, rows.grain(), host, [&](Index first, Index last) {
    for_each_piece(
        first, last, most, [&](Index row) { return Index{lengths[row]}; }, read);
  });
}

Index most_read_at_once(const base::Backend& host) {
  return host.memory().left() / host.threads() / Index{sizeof(Column) + sizeof(double)};
}

Index total(std::span<const Column> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), Index{0});
}

}  // namespace cisolve::sparse

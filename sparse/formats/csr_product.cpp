#include "sparse/formats/csr_product.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "base/offsets.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::sparse {
namespace {

/// Sparse accumulator: the columns of one row of a product, and their sums.
class RowOfProduct {
 public:
  RowOfProduct(const Csr& a, const Csr& b, const base::Backend& host)
      : a_(a),
        b_(b),
        last_row_(host, b.shape.columns, "the columns of a row of a product"),
        sums_(host, b.shape.columns, "a row of a product") {
    std::ranges::fill(last_row_.span(), -1);
  }

  /// Returns the columns of the row; at() gives the sums.
  std::span<const Column> find(Index row) {
    columns_.clear();
    for (Index k = a_.offsets[row]; k < a_.offsets[row + 1]; ++k) {
      const Index j = a_.columns[k];
      for (Index t = b_.offsets[j]; t < b_.offsets[j + 1]; ++t)
        add(row, b_.columns[t], a_.values[k] * b_.values[t]);
    }
    std::ranges::sort(columns_);
    return columns_;
  }
  double at(Column column) const { return sums_[column]; }

 private:
  void add(Index row, Column column, double product) {
    if (last_row_[column] != static_cast<Column>(row)) {
      last_row_[column] = static_cast<Column>(row);
      columns_.push_back(column);
      sums_[column] = 0;
    }
    sums_[column] += product;
  }

  const Csr& a_;
  const Csr& b_;
  base::Array<Column> last_row_;
  base::Array<double> sums_;
  std::vector<Column> columns_;
};

/// An accumulator has one number per column, so a thread handles many rows with one.
Index rows_at_once(Index rows, const base::Backend& host) {
  constexpr Index least = 64;
  return std::max(least, rows / (4 * Index{host.threads()}) + 1);
}

}  // namespace

Csr multiply(const Csr& a, const Csr& b, const base::Backend& host) {
  if (a.shape.columns != b.shape.rows)
    base::fail(base::ErrorKind::bad_input, "a matrix of ", a.shape.rows, " x ", a.shape.columns,
               " cannot be multiplied by one of ", b.shape.rows, " x ", b.shape.columns,
               "; expected ", a.shape.columns, " rows");
  const Index rows = a.shape.rows;
  const Index grain = rows_at_once(rows, host);
  base::Array<Column> lengths(host, rows, "the row lengths of a product");
  base::for_each_chunk(rows, grain, host, [&](Index first, Index last) {
    RowOfProduct product(a, b, host);
    for (Index row = first; row < last; ++row)
      lengths[row] = static_cast<Column>(product.find(row).size());
  });
  base::Array<Index> offsets = base::offsets_from(lengths.span(), host, "CSR row offsets");
  const Index nonzeros = offsets[rows];
  Csr c{{rows, b.shape.columns, 0, false},
        std::move(offsets),
        base::Array<Column>(host, nonzeros, "CSR columns"),
        base::Array<double>(host, nonzeros, "CSR values")};
  base::for_each_chunk(rows, grain, host, [&](Index first, Index last) {
    RowOfProduct product(a, b, host);
    for (Index row = first; row < last; ++row) {
      Index k = c.offsets[row];
      for (const Column column : product.find(row)) {
        c.columns[k] = column;
        c.values[k++] = product.at(column);
      }
    }
  });
  return c;
}

}  // namespace cisolve::sparse

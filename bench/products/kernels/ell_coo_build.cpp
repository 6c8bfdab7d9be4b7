#include <algorithm>
#include <vector>

#include "base/loops.hpp"
#include "bench/products/kernels/ell_coo.hpp"

namespace cisolve::bench {
namespace {

using base::Array;

/// Writes the ELLPACK part and the coordinates of rows [first, last).
void fill_rows(const sparse::Csr& csr, Index first, Index last, const Array<Index>& rest,
               EllCoo& built) {
  for (Index row = first; row < last; ++row) {
    const Index begin = csr.offsets[row];
    const Index end = csr.offsets[row + 1];
    for (Index k = 0; k < built.width; ++k) {
      const bool inside = begin + k < end;
      built.ell_columns[k * built.rows + row] = inside ? csr.columns[begin + k] : -1;
      built.ell_values[k * built.rows + row] = inside ? csr.values[begin + k] : 0;
    }
    Index next = rest[row];
    for (Index k = begin + built.width; k < end; ++k, ++next) {
      built.coo_rows[next] = static_cast<Column>(row);
      built.coo_columns[next] = csr.columns[k];
      built.coo_values[next] = csr.values[k];
    }
  }
}

}  // namespace

Index ell_coo_width(const Workload& matrix) {
  constexpr Index relative_speed = 3;
  constexpr Index enough_rows = 4096;
  std::vector<Index> rows_of_length(matrix.longest_row() + 1);
  for (Index row = 0; row < matrix.rows(); ++row)
    ++rows_of_length[matrix.csr().offsets[row + 1] - matrix.csr().offsets[row]];
  Index width = 0;
  for (Index left = matrix.rows(); width < matrix.longest_row(); ++width) {
    left -= rows_of_length[width];  // rows longer than the width
    if (relative_speed * left < matrix.rows() || left < enough_rows) break;
  }
  return width;
}

EllCoo build_ell_coo(const Workload& matrix, Index width) {
  constexpr Index rows_together = 1024;
  const sparse::Csr& csr = matrix.csr();
  const base::Backend& host = csr.values.backend();
  Array<Index> rest(host, matrix.rows() + 1, "where the coordinates of rows begin");
  rest[0] = 0;
  for (Index row = 0; row < matrix.rows(); ++row)
    rest[row + 1] = rest[row] + std::max<Index>(0, csr.offsets[row + 1] - csr.offsets[row] - width);
  const Index others = rest[matrix.rows()];
  EllCoo built{matrix.rows(),
               width,
               Array<Column>(host, width * matrix.rows(), "the ELLPACK columns"),
               Array<double>(host, width * matrix.rows(), "the ELLPACK values"),
               Array<Column>(host, others, "the rows of coordinates"),
               Array<Column>(host, others, "the columns of coordinates"),
               Array<double>(host, others, "the values of coordinates")};
  base::for_each_chunk(matrix.rows(), rows_together, host,
                       [&](Index first, Index last) { fill_rows(csr, first, last, rest, built); });
  return built;
}

EllCooView EllCoo::view() const {
  return {rows,
          width,
          ell_columns.data(),
          ell_values.data(),
          coo_values.size(),
          coo_rows.data(),
          coo_columns.data(),
          coo_values.data()};
}

Index EllCoo::bytes() const {
  return ell_columns.bytes() + ell_values.bytes() + coo_rows.bytes() + coo_columns.bytes() +
         coo_values.bytes();
}

EllCoo EllCoo::to(const base::Backend& target) const {
  return {rows,
          width,
          ell_columns.to(target),
          ell_values.to(target),
          coo_rows.to(target),
          coo_columns.to(target),
          coo_values.to(target)};
}

}  // namespace cisolve::bench

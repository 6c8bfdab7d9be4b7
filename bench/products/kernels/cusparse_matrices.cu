#include <algorithm>
#include <vector>

#include "bench/products/kernels/cusparse.cuh"
#include "sparse/formats/sliced.hpp"

namespace cisolve::bench {
namespace {

using base::Array;

Array<std::int32_t> narrowed(const Array<Index>& wide, const base::Backend& target,
                             std::string_view what) {
  Array<std::int32_t> values_32(wide.backend(), wide.size(), what);
  for (Index i = 0; i < wide.size(); ++i) values_32[i] = static_cast<std::int32_t>(wide[i]);
  return values_32.to(target, what);
}

template <class T>
Array<T> none(const base::Backend& backend) {
  return Array<T>(backend, 0, "nothing");
}

/// The distinct block columns in which a block row has elements, ascending.
void block_columns_of(const sparse::Csr& csr, Index block_row, Index size,
                      std::vector<std::int32_t>& found) {
  found.clear();
  const Index begin = csr.offsets[block_row * size];
  const Index end = csr.offsets[std::min(csr.shape.rows, (block_row + 1) * size)];
  for (Index k = begin; k < end; ++k)
    found.push_back(static_cast<std::int32_t>(csr.columns[k] / size));
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

}  // namespace

CusparseMatrix cusparse_csr(const Workload& matrix, const base::Backend& backend) {
  CusparseMatrix a{.csr = matrix.csr_on(backend),
                   .offsets = narrowed(matrix.csr().offsets, backend, "cuSPARSE's row offsets"),
                   .columns = none<std::int32_t>(backend),
                   .values = none<double>(backend),
                   .description = {},
                   .bytes = 0};
  a.bytes = a.offsets.bytes() + a.csr->columns.bytes() + a.csr->values.bytes();
  check(cusparseCreateConstCsr(a.description.out(), matrix.rows(), matrix.columns(),
                               matrix.nonzeros(), a.offsets.data(), a.csr->columns.data(),
                               a.csr->values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
        "cusparseCreateConstCsr");
  return a;
}

CusparseMatrix cusparse_coo(const Workload& matrix, const base::Backend& backend) {
  const sparse::Csr& csr = matrix.csr();
  Array<std::int32_t> rows(csr.values.backend(), matrix.nonzeros(), "cuSPARSE's row indices");
  for (Index row = 0; row < matrix.rows(); ++row)
    std::fill(rows.data() + csr.offsets[row], rows.data() + csr.offsets[row + 1],
              static_cast<std::int32_t>(row));
  CusparseMatrix a{.csr = matrix.csr_on(backend),
                   .offsets = rows.to(backend, "cuSPARSE's row indices"),
                   .columns = none<std::int32_t>(backend),
                   .values = none<double>(backend),
                   .description = {},
                   .bytes = 0};
  a.bytes = a.offsets.bytes() + a.csr->columns.bytes() + a.csr->values.bytes();
  check(cusparseCreateConstCoo(a.description.out(), matrix.rows(), matrix.columns(),
                               matrix.nonzeros(), a.offsets.data(), a.csr->columns.data(),
                               a.csr->values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                               CUDA_R_64F),
        "cusparseCreateConstCoo");
  return a;
}

CusparseMatrix cusparse_sliced(const Workload& matrix, const base::Backend& backend, Index height) {
  const sparse::CsrRows rows = matrix.source();
  const sparse::Sliced sliced =
      sparse::build_sliced(rows, {.format = "sell", .slice_height = height}, backend.host());
  const Index stored = sliced.values.size();
  if (stored > base::kLargestDimension)
    base::fail(base::ErrorKind::resources, "would store ", stored,
               " positions, more than 32-bit offsets can count");
  CusparseMatrix a{.csr = nullptr,
                   .offsets = narrowed(sliced.slice_offsets, backend, "cuSPARSE's slice offsets"),
                   .columns = sliced.columns.to(backend, "cuSPARSE's slices, columns"),
                   .values = sliced.values.to(backend, "cuSPARSE's slices, values"),
                   .description = {},
                   .bytes = 0};
  a.bytes = a.offsets.bytes() + a.columns.bytes() + a.values.bytes();
  check(cusparseCreateConstSlicedEll(a.description.out(), matrix.rows(), matrix.columns(),
                                     matrix.nonzeros(), stored, height, a.offsets.data(),
                                     a.columns.data(), a.values.data(), CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
        "cusparseCreateConstSlicedEll");
  return a;
}

double positions_in_blocks(const Workload& matrix, Index size) {
  constexpr Index sampled = 512;  // block rows, evenly spaced
  const Index block_rows = (matrix.rows() + size - 1) / size;
  const Index step = std::max<Index>(1, block_rows / sampled);
  std::vector<std::int32_t> found;
  Index positions = 0;
  Index elements = 0;
  for (Index block_row = 0; block_row < block_rows; block_row += step) {
    block_columns_of(matrix.csr(), block_row, size, found);
    positions += std::ssize(found) * size * size;
    elements += matrix.csr().offsets[std::min(matrix.rows(), (block_row + 1) * size)] -
                matrix.csr().offsets[block_row * size];
  }
  return elements == 0 ? 0 : static_cast<double>(positions) / static_cast<double>(elements);
}

CusparseMatrix cusparse_blocks(const Workload& matrix, const base::Backend& backend, Index size) {
  const sparse::Csr& csr = matrix.csr();
  const Index block_rows = matrix.rows() / size;
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  std::vector<std::int32_t> found;
  for (Index block_row = 0; block_row < block_rows; ++block_row) {
    block_columns_of(csr, block_row, size, found);
    const std::size_t base = values.size();
    values.resize(base + found.size() * static_cast<std::size_t>(size * size));
    for (Index row = block_row * size; row < (block_row + 1) * size; ++row)
      for (Index k = csr.offsets[row]; k < csr.offsets[row + 1]; ++k) {
        const Index block = std::ranges::lower_bound(found, csr.columns[k] / size) - found.begin();
        values[base + (block * size + row % size) * size + csr.columns[k] % size] = csr.values[k];
      }
    columns.insert(columns.end(), found.begin(), found.end());
    offsets.push_back(static_cast<std::int32_t>(columns.size()));
  }
  CusparseMatrix a{
      .csr = nullptr,
      .offsets = Array<std::int32_t>::copy_of(offsets, backend, "cuSPARSE's block offsets"),
      .columns = Array<std::int32_t>::copy_of(columns, backend, "cuSPARSE's block columns"),
      .values = Array<double>::copy_of(values, backend, "cuSPARSE's block values"),
      .description = {},
      .bytes = 0};
  a.bytes = a.offsets.bytes() + a.columns.bytes() + a.values.bytes();
  check(cusparseCreateConstBsr(a.description.out(), block_rows, matrix.columns() / size,
                               std::ssize(columns), size, size, a.offsets.data(), a.columns.data(),
                               a.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F, CUSPARSE_ORDER_ROW),
        "cusparseCreateConstBsr");
  return a;
}

}  // namespace cisolve::bench

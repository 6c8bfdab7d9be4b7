// A matrix in compressed sparse rows, stored in the format of your choice and multiplied.
// Usage: sparse_product [csr | ellpack | sell | hybrid | tiled | ...]
#include <iostream>
#include <vector>

#include <cisolve/base/error.hpp>
#include <cisolve/base/multivector.hpp>
#include <cisolve/sparse/rows/csr_arrays.hpp>
#include <cisolve/sparse/stored/matrix.hpp>

namespace base = cisolve::base;
namespace sparse = cisolve::sparse;

int main(int count, char** arguments) try {
  // Rows of 2 on the diagonal and -1 beside it.
  constexpr base::Index kRows = 1000;
  std::vector<base::Index> offsets = {0};
  std::vector<base::Column> columns;
  std::vector<double> values;
  for (base::Index i = 0; i < kRows; ++i) {
    for (base::Index j = i - 1; j <= i + 1; ++j)
      if (j >= 0 && j < kRows) {
        columns.push_back(static_cast<base::Column>(j));
        values.push_back(i == j ? 2 : -1);
      }
    offsets.push_back(static_cast<base::Index>(columns.size()));
  }
  // The arrays are read when the matrix is stored and may go after that.
  const sparse::CsrArrays rows({.rows = kRows, .columns = kRows, .symmetric = true}, offsets,
                               columns, values);

  // With "auto", by_name() takes a GPU if there is one.
  const base::Backend backend = base::Backend::openmp();
  const auto matrix =
      sparse::build_matrix(rows, {.format = count > 1 ? arguments[1] : "sell"}, backend);
  std::cout << matrix->format() << ": " << matrix->nonzeros() << " non-zeros in "
            << matrix->memory().held << " bytes\n";

  base::MultiVector x(backend, kRows, 2);  // two vectors at once
  base::MultiVector y(backend, kRows, 2);
  for (base::Index i = 0; i < kRows; ++i) {
    x(i, 0) = 1;
    x(i, 1) = static_cast<double>(i * i);
  }
  matrix->multiply(1, x.block(), 0, y.block());                          // y = A x
  std::cout << y(0, 0) << ' ' << y(500, 0) << ' ' << y(500, 1) << '\n';  // 1 0 -2
} catch (const base::Error& error) {
  // For an unknown format, say, the message lists the known ones.
  std::cerr << error.what() << '\n';
  return 1;
}

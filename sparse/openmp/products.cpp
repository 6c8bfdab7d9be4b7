#include <algorithm>
#include <array>
#include <vector>

#include "sparse/instantiate.hpp"

// Threads take chunks of rows as they come; a row is summed by one thread, so the bits do not
// depend on their number. Several vectors share one pass over the matrix.
namespace cisolve::sparse::openmp {
namespace {

constexpr Index kRowsPerChunk = 128;

/// Calls group(first, std::integral_constant<int, width>) until all columns are covered.
template <class Group>
void for_each_group(int columns, Group group) {
  int first = 0;
  for (; first + 8 <= columns; first += 8) group(first, std::integral_constant<int, 8>());
  for (; first + 4 <= columns; first += 4) group(first, std::integral_constant<int, 4>());
  for (; first + 2 <= columns; first += 2) group(first, std::integral_constant<int, 2>());
  for (; first < columns; ++first) group(first, std::integral_constant<int, 1>());
}

void write(double alpha, double sum, double beta, double& y) {
  y = beta == 0 ? alpha * sum : alpha * sum + beta * y;
}

template <int Width, class View>
void multiply_rows(const base::Backend& backend, double alpha, const View& a, base::ConstBlock x,
                   double beta, base::Block y) {
#pragma omp parallel for schedule(dynamic, kRowsPerChunk) num_threads(backend.threads())
  for (Index row = 0; row < a.rows; ++row) {
    std::array<double, Width> sums{};
    a.visit(row, 0, 1, [&](Index column, double value) {
      for (int j = 0; j < Width; ++j) sums[j] += value * x(column, j);
    });
    for (int j = 0; j < Width; ++j) write(alpha, sums[j], beta, y(row, j));
  }
}

/// A row of blocks at a time: its part of the result stays in the first-level cache.
template <int Width>
void multiply_rows(const base::Backend& backend, double alpha, const CsbView& a, base::ConstBlock x,
                   double beta, base::Block y) {
#pragma omp parallel for schedule(dynamic) num_threads(backend.threads())
  for (Index block_row = 0; block_row < a.block_rows; ++block_row) {
    const Index first = block_row * a.block_size;
    const Index count = std::min(a.block_size, a.rows - first);
    std::vector<std::array<double, Width>> sums(count);
    for (Index block = 0; block < a.block_columns; ++block) {
      const Index* offset = a.block_offsets + block_row * a.block_columns + block;
      const Index first_column = block * a.block_size;
      for (Index k = offset[0]; k < offset[1]; ++k)
        for (int j = 0; j < Width; ++j)
          sums[a.row[k]][j] += a.value[k] * x(first_column + a.column[k], j);
    }
    for (Index i = 0; i < count; ++i)
      for (int j = 0; j < Width; ++j) write(alpha, sums[i][j], beta, y(first + i, j));
  }
}

/// A block at a time, its part of the result beside it.
template <int Width>
void multiply_rows(const base::Backend& backend, double alpha, const TiledView& a,
                   base::ConstBlock x, double beta, base::Block y) {
#pragma omp parallel for schedule(dynamic) num_threads(backend.threads())
  for (Index block = 0; block < a.blocks; ++block) {
    const Index first = a.block_rows[block];
    std::vector<std::array<double, Width>> sums(a.block_rows[block + 1] - first);
    a.visit_block(block, 0, 1, [&](Index row, Index column, double value) {
      for (int j = 0; j < Width; ++j) sums[row - first][j] += value * x(column, j);
    });
    for (Index i = 0; i < std::ssize(sums); ++i)
      for (int j = 0; j < Width; ++j) write(alpha, sums[i][j], beta, y(first + i, j));
  }
  if (a.tail.nonzeros > 0) multiply_rows<Width>(backend, alpha, a.tail, x, 1, y);
}

template <class View>
void read_diagonal(const base::Backend& backend, const View& a, base::Block d) {
#pragma omp parallel for schedule(dynamic, kRowsPerChunk) num_threads(backend.threads())
  for (Index row = 0; row < a.rows; ++row) {
    double found = 0;
    a.visit(row, 0, 1, [&](Index column, double value) {
      if (column == row) found = value;
    });
    d(row, 0) = found;
  }
}

void read_diagonal(const base::Backend& backend, const CsbView& a, base::Block d) {
#pragma omp parallel for schedule(dynamic) num_threads(backend.threads())
  for (Index block = 0; block < a.block_rows; ++block) {
    const Index first = block * a.block_size;
    std::fill_n(d.column(0) + first, std::min(a.block_size, a.rows - first), 0.0);
    const Index* offset = a.block_offsets + block * a.block_columns + block;
    for (Index k = offset[0]; k < offset[1]; ++k)
      if (a.row[k] == a.column[k]) d(first + a.row[k], 0) = a.value[k];
  }
}

void read_diagonal(const base::Backend& backend, const TiledView& a, base::Block d) {
#pragma omp parallel for schedule(dynamic) num_threads(backend.threads())
  for (Index block = 0; block < a.blocks; ++block) {
    const Index first = a.block_rows[block];
    for (Index row = first; row < a.block_rows[block + 1]; ++row) d(row, 0) = a.tail_diagonal(row);
    a.visit_block(block, 0, 1, [&](Index row, Index column, double value) {
      if (row == column) d(row, 0) = value;
    });
  }
}

}  // namespace

template <class View>
void multiply(const base::Backend& backend, double alpha, const View& a, base::ConstBlock x,
              double beta, base::Block y) {
  for_each_group(y.columns, [&](int first, auto width) {
    multiply_rows<width>(backend, alpha, a, x.slice(first, width), beta, y.slice(first, width));
  });
}

template <class View>
void diagonal(const base::Backend& backend, const View& a, base::Block d) {
  read_diagonal(backend, a, d);
}

CISOLVE_FOR_EACH_VIEW(CISOLVE_INSTANTIATE_PRODUCTS)

}  // namespace cisolve::sparse::openmp

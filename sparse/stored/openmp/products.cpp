#include <algorithm>
#include <array>
#include <vector>

#include "base/loops.hpp"
#include "sparse/stored/instantiate.hpp"
#include "sparse/stored/openmp/diagonal_rows.hpp"

// Threads take chunks of rows dynamically; a row is summed by one thread, so the bits do not depend
// on their number. Several vectors share one pass over the matrix.
namespace cisolve::sparse::openmp {
namespace {

constexpr Index kRowsPerChunk = 128;

/// Calls group(first, std::integral_constant<int, width>) until all columns are covered, with
/// widths for which there is scratch memory.
template <class Fits, class Group>
void for_each_group(int columns, Fits fits, Group group) {
  int first = 0;
  const auto go_on_by = [&](auto width) {
    for (; first + width <= columns && fits(width); first += width) group(first, width);
  };
  go_on_by(std::integral_constant<int, 8>());
  go_on_by(std::integral_constant<int, 4>());
  go_on_by(std::integral_constant<int, 2>());
  for (; first < columns; ++first) group(first, std::integral_constant<int, 1>());
}

void write(double alpha, double sum, double beta, double& y) {
  y = beta == 0 ? alpha * sum : alpha * sum + beta * y;
}

/// Below this, waking threads does not pay.
constexpr Index kRowsForThreads = 4 * kRowsPerChunk;

template <class View>
int threads_for(const base::Backend& backend, const View& a) {
  return a.rows < kRowsForThreads ? 1 : backend.threads();
}

/// Interleaved vectors, so that an element's values of them share cache lines.
template <int Width>
struct Vectors {
  const double* values;
  const double* at(Index column) const { return values + column * Width; }
};

/// Whether products with this view interleave the vectors.
template <class View>
constexpr bool interleaves_vectors = true;
template <>
constexpr bool interleaves_vectors<CsbView> = false;
template <>
constexpr bool interleaves_vectors<DiagonalView> = false;

Index interleaved_bytes(base::ConstBlock x, int width) {
  return x.rows * width * Index{sizeof(double)};
}

template <int Width>
Vectors<Width> interleave(const base::Backend& backend, base::ConstBlock x) {
  if constexpr (Width == 1) return {x.column(0)};
  auto* target = static_cast<double*>(backend.scratch(interleaved_bytes(x, Width)));
#pragma omp parallel for schedule(static) num_threads(threads_for(backend, x))
  for (Index i = 0; i < x.rows; ++i)
    for (int j = 0; j < Width; ++j) target[i * Width + j] = x(i, j);
  return {target};
}

/// The sum of a row in several independent partial sums, which hide the latency of additions and
/// are added in a fixed order.
template <int Width>
class RowSum {
 public:
  explicit RowSum(Vectors<Width> x) : x_(x) {}

  void add(const Column* columns, const double* values, Index count) {
    Index k = 0;
    for (; k + kParts <= count; k += kParts) {
      __builtin_prefetch(values + k + kAhead);
      __builtin_prefetch(columns + k + 2 * kAhead);
      for (int part = 0; part < kParts; ++part)
        add_to(part, values[k + part], x_.at(columns[k + part]));
    }
    for (; k < count; ++k) add_to(0, values[k], x_.at(columns[k]));
  }
  void add(Index column, double value) {
    add_to(next_, value, x_.at(column));
    next_ = (next_ + 1) % kParts;
  }
  double total(int vector) const {
    double sum = 0;
    for (int part = 0; part < kParts; ++part) sum += parts_[part][vector];
    return sum;
  }

 private:
  static constexpr int kParts = Width >= 8 ? 1 : 8 / Width;
  // Distance of prefetches in elements: far enough to hide memory latency, also into the following
  // rows.
  static constexpr Index kAhead = 128;

  void add_to(int part, double value, const double* x) {
    for (int j = 0; j < Width; ++j) parts_[part][j] += value * x[j];
  }

  Vectors<Width> x_;
  std::array<std::array<double, Width>, kParts> parts_{};
  int next_ = 0;
};

// Passes the elements of a row to its sum, contiguous ones as a run.

template <int Width, class View>
void add_row(const View& a, Index row, RowSum<Width>& sum) {
  a.visit(row, 0, 1, [&](Index column, double value) { sum.add(column, value); });
}

template <int Width>
void add_row(const CsrView& a, Index row, RowSum<Width>& sum) {
  const Index first = a.offsets[row];
  sum.add(a.column + first, a.value + first, a.offsets[row + 1] - first);
}

template <int Width>
void add_row(const HybridView& a, Index row, RowSum<Width>& sum) {
  sum.add(a.ell_column + row * a.width, a.ell_value + row * a.width, a.lengths[row]);
  const Index first = a.tail_offsets[row];
  sum.add(a.tail_column + first, a.tail_value + first, a.tail_offsets[row + 1] - first);
}

template <int Width, class View>
void multiply_rows(const base::Backend& backend, double alpha, const View& a, base::ConstBlock x,
                   double beta, base::Block y) {
  const Vectors<Width> vectors = interleave<Width>(backend, x);
  const int threads = threads_for(backend, a);
  base::for_each_chunk(a.rows, kRowsPerChunk, threads, [=](Index first, Index last) {
    const View mine = a;  // a copy that stores to y cannot alias, so its members stay in registers
    for (Index row = first; row < last; ++row) {
      RowSum<Width> sum(vectors);
      add_row(mine, row, sum);
      for (int j = 0; j < Width; ++j) write(alpha, sum.total(j), beta, y(row, j));
    }
  });
}

template <int Width>
void multiply_rows(const base::Backend& backend, double alpha, const DiagonalView& a,
                   base::ConstBlock x, double beta, base::Block y) {
  multiply_diagonals(backend, alpha, a, x, beta, y);
}

template <int Width>
using RowSums = std::vector<std::array<double, Width>>;

template <int Width>
void write_rows(const RowSums<Width>& sums, Index first, double alpha, double beta, base::Block y) {
  for (Index i = 0; i < std::ssize(sums); ++i)
    for (int j = 0; j < Width; ++j) write(alpha, sums[i][j], beta, y(first + i, j));
}

template <int Width>
RowSums<Width> product_of(const CsbView& a, Index block_row, base::ConstBlock x) {
  RowSums<Width> sums(std::min(a.block_size, a.rows - block_row * a.block_size));
  for (Index block = 0; block < a.block_columns; ++block) {
    const Index* offset = a.block_offsets + block_row * a.block_columns + block;
    const Index first_column = block * a.block_size;
    for (Index k = offset[0]; k < offset[1]; ++k)
      for (int j = 0; j < Width; ++j)
        sums[a.row[k]][j] += a.value[k] * x(first_column + a.column[k], j);
  }
  return sums;
}

/// One row of blocks at a time: its part of the result stays in the L1 cache.
template <int Width>
void multiply_rows(const base::Backend& backend, double alpha, const CsbView& a, base::ConstBlock x,
                   double beta, base::Block y) {
  base::for_each_chunk(a.block_rows, 1, backend, [&](Index block_row, Index) {
    write_rows<Width>(product_of<Width>(a, block_row, x), block_row * a.block_size, alpha, beta, y);
  });
}

template <int Width>
RowSums<Width> product_of(const TiledView& a, Index block, base::ConstBlock x) {
  const Index first = a.block_rows[block];
  RowSums<Width> sums(a.block_rows[block + 1] - first);
  a.visit_block(block, 0, 1, [&](Index row, Index column, double value) {
    for (int j = 0; j < Width; ++j) sums[row - first][j] += value * x(column, j);
  });
  return sums;
}

/// One block at a time, with its part of the result in a local array.
template <int Width>
void multiply_rows(const base::Backend& backend, double alpha, const TiledView& a,
                   base::ConstBlock x, double beta, base::Block y) {
  base::for_each_chunk(a.blocks, 1, backend, [&](Index block, Index) {
    write_rows<Width>(product_of<Width>(a, block, x), a.block_rows[block], alpha, beta, y);
  });
  if (a.tail.nonzeros > 0) multiply_rows<Width>(backend, alpha, a.tail, x, 1, y);
}

template <class View>
void read_diagonal(const base::Backend& backend, const View& a, base::Block d) {
  base::for_each_chunk(a.rows, kRowsPerChunk, backend, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      double found = 0;
      a.visit(row, 0, 1, [&](Index column, double value) {
        if (column == row) found = value;
      });
      d(row, 0) = found;
    }
  });
}

void read_diagonal(const base::Backend& backend, const CsbView& a, base::Block d) {
  base::for_each_chunk(a.block_rows, 1, backend, [&](Index block, Index) {
    const Index first = block * a.block_size;
    std::fill_n(d.column(0) + first, std::min(a.block_size, a.rows - first), 0.0);
    const Index* offset = a.block_offsets + block * a.block_columns + block;
    for (Index k = offset[0]; k < offset[1]; ++k)
      if (a.row[k] == a.column[k]) d(first + a.row[k], 0) = a.value[k];
  });
}

void read_diagonal(const base::Backend& backend, const TiledView& a, base::Block d) {
  base::for_each_chunk(a.blocks, 1, backend, [&](Index block, Index) {
    const Index first = a.block_rows[block];
    for (Index row = first; row < a.block_rows[block + 1]; ++row) d(row, 0) = a.tail_diagonal(row);
    a.visit_block(block, 0, 1, [&](Index row, Index column, double value) {
      if (row == column) d(row, 0) = value;
    });
  });
}

}  // namespace

template <class View>
void multiply(const base::Backend& backend, double alpha, const View& a, base::ConstBlock x,
              double beta, base::Block y) {
  const auto fits = [&](int width) {
    return !interleaves_vectors<View> || backend.has_scratch(interleaved_bytes(x, width));
  };
  for_each_group(y.columns, fits, [&](int first, auto width) {
    multiply_rows<width>(backend, alpha, a, x.slice(first, width), beta, y.slice(first, width));
  });
}

template <class View>
void diagonal(const base::Backend& backend, const View& a, base::Block d) {
  read_diagonal(backend, a, d);
}

CISOLVE_FOR_EACH_VIEW(CISOLVE_INSTANTIATE_PRODUCTS)

}  // namespace cisolve::sparse::openmp

#include <algorithm>
#include <vector>

#include "bench/products/kernel.hpp"

// The product as a loop over rows, distributed over threads in equal parts or dynamically in
// chunks: CSR and ELLPACK row by row, and a serial loop without OpenMP.
namespace cisolve::bench {
namespace {

double finish(double alpha, double sum, double beta, double y) {
  return beta == 0 ? alpha * sum : alpha * sum + beta * y;
}

struct CsrRow {
  const sparse::Csr& matrix;
  double operator()(Index row, const double* x) const {
    double sum = 0;
    for (Index k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k)
      sum += matrix.values[k] * x[matrix.columns[k]];
    return sum;
  }
};

/// ELLPACK row by row: the column -1 ends a row that is shorter than the longest one.
struct Ellpack {
  explicit Ellpack(const Workload& matrix)
      : width(matrix.longest_row()),
        columns(matrix.csr().values.backend(), matrix.rows() * width, "the ELLPACK columns"),
        values(matrix.csr().values.backend(), matrix.rows() * width, "the ELLPACK values") {
    const sparse::Csr& csr = matrix.csr();
#pragma omp parallel for schedule(static)
    for (Index row = 0; row < matrix.rows(); ++row) {
      const Index begin = csr.offsets[row];
      for (Index k = 0; k < width; ++k) {
        const bool inside = begin + k < csr.offsets[row + 1];
        columns[row * width + k] = inside ? csr.columns[begin + k] : -1;
        values[row * width + k] = inside ? csr.values[begin + k] : 0;
      }
    }
  }
  Index bytes() const { return columns.bytes() + values.bytes(); }
  double operator()(Index row, const double* x) const {
    double sum = 0;
    for (Index k = row * width; k < (row + 1) * width && columns[k] >= 0; ++k)
      sum += values[k] * x[columns[k]];
    return sum;
  }

  Index width;
  base::Array<Column> columns;
  base::Array<double> values;
};

enum class Schedule { none, equal_parts, as_they_come };

// One vector at a time: these are plain loops over rows, without blocks.
template <class RowProduct>
void multiply_rows(const RowProduct& product, Schedule schedule, int threads, double alpha,
                   base::ConstBlock x, double beta, base::Block y) {
  constexpr int chunk = 64;
  for (int j = 0; j < y.columns; ++j) {
    const double* from = x.column(j);
    double* to = y.column(j);
    if (schedule == Schedule::none) {
      for (Index row = 0; row < y.rows; ++row)
        to[row] = finish(alpha, product(row, from), beta, to[row]);
    } else if (schedule == Schedule::equal_parts) {
#pragma omp parallel for schedule(static) num_threads(threads)
      for (Index row = 0; row < y.rows; ++row)
        to[row] = finish(alpha, product(row, from), beta, to[row]);
    } else {
#pragma omp parallel for schedule(dynamic, chunk) num_threads(threads)
      for (Index row = 0; row < y.rows; ++row)
        to[row] = finish(alpha, product(row, from), beta, to[row]);
    }
  }
}

Kernel csr_kernel(std::string name, Schedule schedule, int threads) {
  Kernel kernel{.name = std::move(name), .threads = threads};
  kernel.prepare = [=](const Workload& matrix, const base::Backend&, int) {
    const sparse::Csr& csr = matrix.csr();
    return prepared(csr.memory().held, [&csr, schedule, threads](double alpha, base::ConstBlock x,
                                                                 double beta, base::Block y) {
      multiply_rows(CsrRow{csr}, schedule, threads, alpha, x, beta, y);
    });
  };
  return kernel;
}

Kernel ellpack_kernel(std::string name, Schedule schedule, int threads) {
  Kernel kernel{.name = std::move(name), .threads = threads};
  kernel.obstacle = [](const Workload& matrix, int) -> std::string {
    constexpr Index most_padding = 8;
    return matrix.rows() * matrix.longest_row() > most_padding * matrix.nonzeros() + 1'000'000
               ? "would store more than 8 positions a non-zero"
               : "";
  };
  kernel.prepare = [=](const Workload& matrix, const base::Backend&, int) {
    Ellpack rows(matrix);
    const Index bytes = rows.bytes();
    return prepared(bytes, [rows = std::move(rows), schedule, threads](
                               double alpha, base::ConstBlock x, double beta, base::Block y) {
      multiply_rows(rows, schedule, threads, alpha, x, beta, y);
    });
  };
  return kernel;
}

}  // namespace

std::vector<Kernel> openmp_row_kernels(int threads) {
  std::vector<Kernel> kernels{
      csr_kernel("openmp/csr-static", Schedule::equal_parts, threads),
      csr_kernel("openmp/csr-dynamic", Schedule::as_they_come, threads),
      ellpack_kernel("openmp/ellpack-static", Schedule::equal_parts, threads),
      ellpack_kernel("openmp/ellpack-dynamic", Schedule::as_they_come, threads),
  };
  if (threads == 1) {
    kernels.push_back(csr_kernel("serial/csr", Schedule::none, 1));
    kernels.push_back(ellpack_kernel("serial/ellpack", Schedule::none, 1));
  }
  return kernels;
}

}  // namespace cisolve::bench

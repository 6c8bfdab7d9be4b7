#include "bench/products/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/block_kernels.hpp"

namespace cisolve::bench {

Reference::Reference(const Workload& matrix, int vectors, const base::Backend& host)
    : rows_(matrix.rows()),
      longest_row_(matrix.longest_row()),
      x_(host, matrix.columns(), vectors, "the vectors x"),
      sums_(rows_ * vectors),
      magnitudes_(rows_ * vectors) {
  base::block_kernels(host).randomise(host, 1, x_.block());
  const sparse::Csr& csr = matrix.csr();
#pragma omp parallel for schedule(dynamic, 256) num_threads(host.threads())
  for (Index row = 0; row < rows_; ++row)
    for (int j = 0; j < vectors; ++j) {
      long double sum = 0;
      double magnitude = 0;
      for (Index k = csr.offsets[row]; k < csr.offsets[row + 1]; ++k) {
        const double x = x_(csr.columns[k], j);
        sum += static_cast<long double>(csr.values[k]) * x;
        magnitude += std::abs(csr.values[k] * x);
      }
      sums_[j * rows_ + row] = sum;
      magnitudes_[j * rows_ + row] = magnitude;
    }
}

double Reference::error(const base::MultiVector& y) const {
  double worst = 0;
  for (int j = 0; j < y.columns(); ++j)
#pragma omp parallel for schedule(static) reduction(max : worst)
    for (Index row = 0; row < rows_; ++row) {
      const Index place = j * rows_ + row;
      const auto difference = static_cast<double>(std::abs(sums_[place] - y(row, j)));
      double error = difference == 0 ? 0 : difference / magnitudes_[place];
      if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
      worst = std::max(worst, error);
    }
  return worst;
}

double Reference::allowed_error(double unit_roundoff) const {
  constexpr Index least_terms = 90;
  return static_cast<double>(std::max(longest_row_, least_terms)) * unit_roundoff;
}

}  // namespace cisolve::bench

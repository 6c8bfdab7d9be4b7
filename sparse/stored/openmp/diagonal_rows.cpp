#include "sparse/stored/openmp/diagonal_rows.hpp"

#include <algorithm>
#include <array>

#include "base/loops.hpp"

// Sums of a few rows at a time stay in the L1 cache while the diagonals are read one by one.
// Accesses are contiguous and vectorise.
namespace cisolve::sparse::openmp {
namespace {

constexpr Index kRowsAtOnce = 512;
constexpr Index kDiagonalRowsForThreads = 4 * kRowsAtOnce;

/// sums += values * x; for a value 0 the product is discarded, since x may be NaN.
void add_products(const double* values, const double* x, double* sums, Index count) {
  for (Index i = 0; i < count; ++i) {
    const double product = values[i] * x[i];
    sums[i] += values[i] != 0 ? product : 0;
  }
}

void add_diagonals(const DiagonalView& a, Index first, Index last, const double* x, double* sums) {
  for (Index t = a.first_from(1 - last); t < a.count && a.terms[t].shift < a.columns - first; ++t) {
    const auto [base, shift] = a.terms[t];
    const Index from = std::max(first, -shift);
    const Index to = std::min(last, a.columns - shift);
    add_products(a.value + base + from, x + from + shift, sums + (from - first), to - from);
  }
}

}  // namespace

void multiply_diagonals(const base::Backend& backend, double alpha, const DiagonalView& a,
                        base::ConstBlock x, double beta, base::Block y) {
  const int threads = a.rows < kDiagonalRowsForThreads ? 1 : backend.threads();
  base::for_each_chunk(a.rows, kRowsAtOnce, threads, [=](Index first, Index last) {
    std::array<double, kRowsAtOnce> sums;
    for (int j = 0; j < y.columns; ++j) {  // values read for one vector are cached for the next
      sums.fill(0);
      add_diagonals(a, first, last, x.column(j), sums.data());
      double* target = y.column(j) + first;
      for (Index i = 0; i < last - first; ++i)
        target[i] = beta == 0 ? alpha * sums[i] : alpha * sums[i] + beta * target[i];
    }
  });
}

}  // namespace cisolve::sparse::openmp

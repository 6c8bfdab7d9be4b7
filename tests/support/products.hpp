#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/multivector.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/vectors.hpp"

// Expected results of y = alpha A x + beta y, for any implementation.
namespace cisolve::test {

/// y before a product: NaN if beta = 0, when it must not be read.
inline base::MultiVector old_result(Index rows, int columns, double beta, unsigned seed) {
  base::MultiVector old = random_vectors(rows, columns, seed);
  if (beta == 0)
    for (int j = 0; j < columns; ++j)
      for (Index i = 0; i < rows; ++i) old(i, j) = std::numeric_limits<double>::quiet_NaN();
  return old;
}

/// The exact product with each of the vectors.
inline std::vector<std::vector<ExactRow>> exact_products(const Elements& elements,
                                                         const base::MultiVector& x) {
  std::vector<std::vector<ExactRow>> exact;
  for (int j = 0; j < x.columns(); ++j)
    exact.push_back(exact_product(elements, [&](Index i) { return x(i, j); }));
  return exact;
}

/// Compares y with the exact products, element by element; the tolerance is relative to the sum of
/// |a||x| of the row and the old y.
inline void expect_products(const base::MultiVector& y,
                            const std::vector<std::vector<ExactRow>>& exact, double alpha,
                            double beta, const base::MultiVector& old, double tolerance) {
  for (int j = 0; j < y.columns(); ++j)
    for (Index i = 0; i < y.rows(); ++i) {
      const ExactRow& row = exact[j][i];
      const long double before = beta == 0 ? 0 : beta * old(i, j);
      const long double scale = std::abs(alpha) * row.magnitude + std::abs(before);
      ASSERT_NEAR(y(i, j), static_cast<double>(alpha * row.sum + before),
                  static_cast<double>(tolerance * scale))
          << "row " << i << ", vector " << j << " of " << y.columns();
    }
}

}  // namespace cisolve::test

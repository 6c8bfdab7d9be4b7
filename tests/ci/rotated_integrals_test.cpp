#include "ci/fock/integrals/rotated.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/vectors.hpp"

// Integrals over rotated orbitals: full CI has the same spectrum.
namespace cisolve::ci {
namespace {

using base::MultiVector;
using base::SmallMatrix;
using test::kHost;

/// Eigenvectors of a random symmetric matrix.
SmallMatrix random_rotation(int n) {
  const MultiVector x = test::random_vectors(n, n, 3);
  SmallMatrix h(n, n);
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) h(p, q) = x(p, q) + x(q, p);
  return solver::symmetric_eigen(h).vectors;
}

std::vector<double> spectrum(const Space& space, const Integrals& integrals) {
  const auto rows = static_cast<int>(space.dimension());
  MultiVector x(kHost, rows, 1);
  MultiVector y(kHost, rows, 1);
  SmallMatrix h(rows, rows);
  const OracleOperator product(space, integrals);
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < rows; ++i) x(i, 0) = i == j ? 1 : 0;
    product.apply(x.block(), y.block());
    for (int i = 0; i < rows; ++i) h(i, j) = y(i, 0);
  }
  return solver::symmetric_eigen(h).values;
}

TEST(RotatedIntegrals, HaveTheSameFullCiSpectrum) {
  const Integrals integrals = test::random_integrals(4, false, 11, {});
  const Integrals turned = rotated(integrals, random_rotation(4), kHost);
  const Space space = full_ci({4, 2, 1}, kHost);
  const std::vector<double> before = spectrum(space, integrals);
  const std::vector<double> after = spectrum(space, turned);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(after[k], before[k], 1e-12) << k;
  EXPECT_EQ(turned.core_energy(), integrals.core_energy());
  EXPECT_GT(std::abs(turned.one(Spin::alpha, 0, 0) - integrals.one(Spin::alpha, 0, 0)), 1e-3);
}

TEST(RotatedIntegrals, AreSumsOverAllOrbitals) {
  constexpr int n = 5;
  const Integrals integrals = test::random_integrals(n, false, 12, {});
  const SmallMatrix c = random_rotation(n);
  const Integrals turned = rotated(integrals, c, kHost);
  double sum = 0;
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q)
      for (int r = 0; r < n; ++r)
        for (int s = 0; s < n; ++s)
          sum += c(p, 3) * c(q, 1) * c(r, 4) * c(s, 0) *
                 integrals.two(Spin::alpha, p, q, Spin::alpha, r, s);
  EXPECT_NEAR(turned.two(Spin::alpha, 3, 1, Spin::alpha, 4, 0), sum, 1e-13);
}

TEST(RotatedIntegrals, KeepWithinTheMemoryBudget) {
  const Integrals integrals = test::random_integrals(6, false, 13, {});
  const SmallMatrix c = random_rotation(6);
  EXPECT_THROW(rotated(integrals, c, base::Backend::by_name("openmp", 1, {3000, 0})),
               base::Error);  // 21 x 21 numbers
}

TEST(RotatedOperators, HaveRotatedMatrices) {
  constexpr int n = 3;
  const SmallMatrix c = random_rotation(n);
  OneElectronOperator one{.name = "a",
                          .components = {"x"},
                          .unit = "1",
                          .constants = {0.5},
                          .alpha = {SmallMatrix(n, n)}};
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) one.alpha[0](p, q) = p + q + 1;
  const OneElectronOperator turned = rotated(one, c);
  double sum = 0;
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) sum += c(p, 0) * c(q, 2) * (p + q + 1);
  EXPECT_NEAR(turned.alpha[0](0, 2), sum, 1e-14);
  EXPECT_EQ(turned.constants, one.constants);
}

}  // namespace
}  // namespace cisolve::ci

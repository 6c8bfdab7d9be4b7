#include "solver/task/error_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/solver/matrices.hpp"

namespace cisolve::test {
namespace {

using Values = std::vector<double>;

TEST(ErrorBounds, AreNeverBelowRounding) {
  const double rounding = solver::rounding_of_energies(4096, 107);
  EXPECT_GT(rounding, 107 * kEpsilon);
  EXPECT_LT(rounding, 107 * kEpsilon * 4096);
  for (const double bound : solver::error_bounds({-107, -106}, {1e-20, 0}, rounding))
    EXPECT_GE(bound, rounding);
  for (const double estimate : solver::error_estimates({-107, -106}, {1e-20, 0}, -105, rounding))
    EXPECT_GE(estimate, rounding);
  EXPECT_GT(solver::rounding_of_energies(5, 0), 0);
}

// Unknown values may lie between: gaps give no bound.
TEST(ErrorBounds, AreResidualsWithoutAKnownGap) {
  EXPECT_EQ(solver::error_bounds({0, 1, 2}, {1e-3, 1e-4, 1e-5}, 0), (Values{1e-3, 1e-4, 1e-5}));
  const Values estimates = solver::error_estimates({0, 1, 3}, {1e-3, 1e-4, 1e-5}, 3.5, 0);
  EXPECT_DOUBLE_EQ(estimates[0], 1e-6);
  EXPECT_DOUBLE_EQ(estimates[1], 1e-8);
  EXPECT_DOUBLE_EQ(estimates[2], 2e-10);
  EXPECT_EQ(solver::error_estimates({0}, {1e-3}, std::nullopt, 0), Values{1e-3});
}

// Their squares underflow to zero.
TEST(ErrorBounds, ScaleDownToTheSmallestNumbers) {
  const double unit = 0x1p-600;
  const Values estimates = solver::error_estimates({0, unit}, {1e-3 * unit, 0}, {}, 0);
  EXPECT_DOUBLE_EQ(estimates[0], 1e-6 * unit);
}

TEST(ErrorBounds, OfNeighboursCombineTheirResiduals) {
  const Values bounds = solver::error_bounds({0, 5e-3, 1, 1.1}, {3e-3, 4e-3, 1e-3, 2e-3}, 0);
  EXPECT_DOUBLE_EQ(bounds[0], 5e-3);
  EXPECT_DOUBLE_EQ(bounds[1], 5e-3);
  EXPECT_DOUBLE_EQ(bounds[2], 1e-3);
  EXPECT_DOUBLE_EQ(bounds[3], 2e-3);
  // The first two reach the third only together.
  const Values chain = solver::error_bounds({0, 1, 2.3}, {0.6, 0.6, 0.5}, 0);
  for (const double bound : chain) EXPECT_DOUBLE_EQ(bound, std::sqrt(0.36 + 0.36 + 0.25));
}

}  // namespace
}  // namespace cisolve::test

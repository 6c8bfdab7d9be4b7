#include "solver/vectors/cholesky.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>

#include "solver/vectors/eigen_map.hpp"
#include "tests/solver/matrices.hpp"

namespace cisolve::test {
namespace {

using base::SmallMatrix;
using solver::as_eigen;
using solver::Cholesky;

/// Eigenvalues from 0.1 on.
Dense positive(int rows) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(rows, 0.4, 5).array().square();
  values[0] = 0.1;
  return with_eigenvalues(values, 7);
}

TEST(CholeskyTest, FactorsMultiplyToTheMatrix) {
  for (const int rows : {1, 2, 95, 96, 97, 250, 400}) {
    const Dense a = positive(rows);
    SmallMatrix lower_alone = as_small(a);
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < j; ++i) lower_alone(i, j) = std::nan("");
    const auto factor = Cholesky::of(lower_alone, base::Backend::openmp(2));
    ASSERT_TRUE(factor) << rows;
    SmallMatrix x = as_small(a);
    factor->solve(x);
    SmallMatrix transposed = as_small(as_eigen(x).transpose());
    factor->solve(transposed);
    EXPECT_LT((as_eigen(transposed) - Dense::Identity(rows, rows)).norm(), 1e-11 * rows) << rows;
    SmallMatrix inverse = as_small(Dense::Identity(rows, rows));
    factor->solve(inverse);
    factor->solve_transposed(inverse);
    EXPECT_LT((a * as_eigen(inverse) - Dense::Identity(rows, rows)).norm(), 1e-10 * rows) << rows;
  }
}

/// Eigen's own threads would be unrequested, and change the bits.
TEST(CholeskyTest, UsesOnlyTheThreadsOfItsBackend) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process that has no others yet
  const char* const before = std::getenv("OMP_NUM_THREADS");
  const std::string kept = before == nullptr ? "" : before;
  setenv("OMP_NUM_THREADS", "4", 1);
  const auto factorise = [] {
    static_cast<void>(Cholesky::of(as_small(positive(700)), base::Backend::openmp(1)));
    const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
    std::_Exit(std::distance(begin(tasks), end(tasks)) == 1 ? 0 : 1);
  };
  EXPECT_EXIT(factorise(), testing::ExitedWithCode(0), "");
  if (before == nullptr)
    unsetenv("OMP_NUM_THREADS");
  else
    setenv("OMP_NUM_THREADS", kept.c_str(), 1);
}

TEST(CholeskyTest, IndefiniteMatricesHaveNone) {
  for (const int rows : {1, 96, 200, 300}) {
    Dense a = positive(rows);
    a.diagonal().array() -= 0.1 + 1e-6;
    EXPECT_FALSE(Cholesky::of(as_small(a), base::Backend::reference())) << rows;
    a.diagonal().array() += 2e-6;
    EXPECT_TRUE(Cholesky::of(as_small(a), base::Backend::reference())) << rows;
    a(rows - 1, 0) = std::nan("");
    EXPECT_FALSE(Cholesky::of(as_small(a), base::Backend::reference())) << rows;
  }
}

TEST(CholeskyTest, ThreadsDoNotChangeABit) {
  const Dense a = positive(500);
  SmallMatrix one(500, 1);
  as_eigen(one) = Eigen::VectorXd::LinSpaced(500, -1, 2);
  SmallMatrix other = one;
  Cholesky::of(as_small(a), base::Backend::reference())->solve(one);
  Cholesky::of(as_small(a), base::Backend::openmp(3))->solve(other);
  EXPECT_TRUE(std::ranges::equal(one.values(), other.values()));
}

TEST(CholeskyTest, EstimatesTheLowestEigenvalue) {
  for (const int rows : {1, 60, 300}) {
    const double lowest =
        Cholesky::of(as_small(positive(rows)), base::Backend::reference())->lowest();
    EXPECT_GE(lowest, 0.1 * (1 - 1e-10)) << rows;
    EXPECT_LE(lowest, 0.2) << rows;
  }
}

}  // namespace
}  // namespace cisolve::test

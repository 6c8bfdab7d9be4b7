#include "solver/task/cut_multiplet.hpp"

#include <gmock/gmock.h>

#include "solver/methods/solve.hpp"
#include "solver/vectors/columns.hpp"
#include "solver/verification/verify.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

// A cut multiplet must be distinguished from a whole one.
namespace cisolve::test {
namespace {

using solver::Method;
using solver::Options;
using solver::Result;

TEST(CountCutMultiplet, CountsEigenvaluesWithinAWidthOfTheLastState) {
  const std::vector<double> values{0, 1, 1 + 1e-9, 1 + 2e-9, 2};
  EXPECT_EQ(solver::count_beyond(values, 1, 1e-7), 0);
  EXPECT_EQ(solver::count_beyond(values, 2, 1e-7), 2);
  EXPECT_EQ(solver::count_beyond(values, 3, 1e-7), 1);
  EXPECT_EQ(solver::count_beyond(values, 4, 1e-7), 0);
  EXPECT_EQ(solver::count_beyond(values, 5, 1e-7), 0);
}

class CutMultipletTest : public BackendTest {
 protected:
  base::Backend backend = backend_under_test();

  Result solve(const Dense& a, int states, Method method) {
    const DenseOperator matrix(a, backend, method != Method::lanczos);
    Options options;
    options.states = states;
    options.method = method;
    options.max_iterations = 1000;
    options.search = solver::SearchEffort::full;
    return solver::solve({matrix, backend}, options);
  }
  void expect_beyond(const Dense& a, int states, int beyond) {
    for (const Method method : {Method::davidson, Method::lanczos, Method::dense}) {
      SCOPED_TRACE(testing::Message() << states << " states, method " << static_cast<int>(method));
      const Result result = solve(a, states, method);
      const auto exact = eigenvalues(a);
      for (int j = 0; j < states; ++j) EXPECT_NEAR(result.states[j].energy, exact[j], 1e-10);
      EXPECT_TRUE(result.converged());
      EXPECT_EQ(result.beyond.states, beyond);
      EXPECT_TRUE(result.beyond.counted);
      EXPECT_NE(result.completeness, solver::Completeness::not_checked);
    }
  }
};

TEST_F(CutMultipletTest, CountsTheStatesOfAMultipletThatWasCut) {
  for (int seed = 1; seed <= 3; ++seed) {
    const int size = 2 + seed % 3;
    const int first = seed % 2;
    Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(40 + seed, 0, 10);
    for (int j = first; j < first + size; ++j) values[j] = values[first];
    const Dense a = with_eigenvalues(values, seed);
    for (int states = first + 1; states <= first + size; ++states)
      expect_beyond(a, states, first + size - states);
  }
}

/// With this many states a restart keeps no further vectors.
TEST_F(CutMultipletTest, APartnerOfOneOfManyStatesIsCounted) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(260, 0, 20);
  values.segment(39, 3).setConstant(values[39]);
  expect_beyond(with_eigenvalues(values, 5), 40, 2);
}

TEST_F(CutMultipletTest, APartnerInAnotherBlockIsFound) {
  const Dense block = diagonally_dominant(40, 3, 0.1);
  const Dense a = block_diagonal(block, block_diagonal(block, block));
  expect_beyond(a, 1, 2);
  expect_beyond(a, 3, 0);
}

TEST_F(CutMultipletTest, ANearStateOfAnotherEnergyIsNotCounted) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(60, 0, 10);
  values[2] = values[1] + 1e-4;
  expect_beyond(with_eigenvalues(values, 4), 2, 0);
}

TEST_F(CutMultipletTest, AMultipletTooLargeToCountIsReportedAsCut) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(60, 1, 10);
  values.head(20).setZero();
  const DenseOperator matrix(with_eigenvalues(values, 6), backend);
  Options options;
  options.method = Method::davidson;
  options.max_iterations = 1000;
  using solver::SearchEffort;
  using solver::SearchEnd;
  for (const SearchEffort effort : {SearchEffort::automatic, SearchEffort::full}) {
    options.search = effort;
    const Result result = solver::solve({matrix, backend}, options);
    EXPECT_TRUE(result.converged());
    // A restart keeps nine vectors, so that eight partners are excluded; one more is seen.
    EXPECT_GT(result.beyond.states, effort == SearchEffort::full ? 8 : 0);
    EXPECT_LE(result.beyond.states, 19);
    // Whether all are found within the products of a short search depends on rounding.
    if (effort == SearchEffort::full) {
      ASSERT_EQ(result.search, SearchEnd::excluded_lower);
      EXPECT_LT(*result.edge, 0);
    } else {
      EXPECT_THAT(result.search, testing::AnyOf(SearchEnd::excluded_lower, SearchEnd::crowded,
                                                SearchEnd::shared, SearchEnd::out_of_products));
    }
    EXPECT_FALSE(result.beyond.counted);
    EXPECT_EQ(result.completeness, solver::Completeness::not_checked);
  }
}

/// After Lanczos the basis holds little but the states, here all degenerate.
TEST_F(CutMultipletTest, AfterLanczosTheSearchLooksBelowTheLowestLevel) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(300, 1, 10);
  values.head(60).setZero();
  const DenseOperator matrix(with_eigenvalues(values, 3), backend, false);
  Options options;
  options.method = Method::lanczos;
  options.states = 30;
  const Result result = solver::solve({matrix, backend}, options);
  for (const auto& state : result.states) EXPECT_NEAR(state.energy, 0, 1e-9);
  ASSERT_EQ(result.search, solver::SearchEnd::excluded_lower);
  EXPECT_LT(*result.edge, -1e-7);
  EXPECT_EQ(result.note, "");  // a narrow level says nothing about the operator
}

/// A Krylov space has one vector per energy; noise adds the others of a level. The level of the
/// last state is larger than can be excluded, and would hide missed states below.
TEST_F(CutMultipletTest, ACutLevelHidesNoMissedStateBelow) {
  Eigen::VectorXd values(400);
  int at = 0;
  for (const int count : {2, 10, 48, 70, 60, 50}) {
    values.segment(at, count).setConstant(at == 0 ? 0 : values[at - 1] + 1);
    at += count;
  }
  values.tail(400 - at) = Eigen::VectorXd::LinSpaced(400 - at, 6, 11);
  for (int seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const DenseOperator matrix(with_eigenvalues(values, seed), backend, false);
    Options options;
    options.method = Method::lanczos;
    options.states = 52 + seed;  // 41 to 44 of the third level
    options.tolerance = 1e-6;
    const Result result = solver::solve({matrix, backend}, options);
    EXPECT_TRUE(result.converged());
    for (int j = 0; j < options.states; ++j) ASSERT_NEAR(result.states[j].energy, values[j], 1e-9);
    EXPECT_THAT(result.search,
                testing::AnyOf(solver::SearchEnd::excluded_lower, solver::SearchEnd::excluded));
  }
}

TEST_F(CutMultipletTest, AVerificationByCountingFindsItToo) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(50, 1, 10);
  values[2] = values[1] = values[0];
  const DenseOperator matrix(with_eigenvalues(values, 9), backend);
  const solver::Problem problem{matrix, backend};
  Options options;
  options.method = Method::davidson;
  for (const int states : {1, 2, 3}) {
    options.states = states;
    const Result result = solver::solve(problem, options);
    std::vector<double> energies;
    for (const auto& state : result.states) energies.push_back(state.energy);
    const auto found = solver::verify(problem, energies, result.vectors.block(), {});
    EXPECT_TRUE(found.passed);
    EXPECT_TRUE(found.beyond.counted);
    EXPECT_EQ(found.beyond.states, 3 - states);
  }
}

}  // namespace
}  // namespace cisolve::test

#include <numeric>

#include "solver/methods/solve.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

// All roots with multiplicities against dense diagonalisation, for hundreds of matrices.
namespace cisolve::test {
namespace {

using solver::Completeness;
using solver::Method;
using solver::Options;
using solver::SearchEffort;

class Spectra : public BackendTest {
 protected:
  base::Backend backend = backend_under_test();

  void expect_exact(const Dense& a, const Options& options, bool knows_diagonal = true) {
    const DenseOperator matrix(a, backend, knows_diagonal);
    const auto exact = eigenvalues(a);
    const auto result = solver::solve({matrix, backend}, options);
    const auto states = std::min<Index>(options.states, a.rows());
    ASSERT_EQ(std::ssize(result.states), states);
    ASSERT_EQ(result.vectors.columns(), states);
    EXPECT_TRUE(result.converged());
    if (options.search == SearchEffort::full) {
      EXPECT_NE(result.completeness, Completeness::not_checked);
    }
    const auto x = result.vectors.to(backend.host());
    for (int j = 0; j < states; ++j) {
      EXPECT_NEAR(result.states[j].energy, exact[j], 1e-10) << "state " << j;
      EXPECT_LE(result.states[j].residual, options.tolerance);
      const Eigen::Map<const Eigen::VectorXd> v(x.block().column(j), a.rows());
      EXPECT_NEAR(v.norm(), 1, 1e-12);
      EXPECT_LE((a * v - result.states[j].energy * v).norm(), 1.1 * options.tolerance);
      EXPECT_LE(std::abs(result.states[j].energy - exact[j]), result.states[j].error_bound);
      EXPECT_LE(result.states[j].error_estimate, result.states[j].error_bound);
      EXPECT_GE(result.states[j].error_estimate, result.rounding);
    }
  }

  void expect_exact_by_all_methods(const Dense& a, int states, std::uint64_t seed) {
    SCOPED_TRACE(testing::Message() << a.rows() << " rows, " << states << " states, seed " << seed);
    Options options;
    options.states = states;
    options.seed = seed;
    options.max_iterations = 1000;
    options.search = SearchEffort::full;
    for (const Method method : {Method::davidson, Method::lanczos, Method::dense}) {
      options.method = method;
      expect_exact(a, options, method != Method::lanczos);
    }
  }
};

TEST_F(Spectra, OfDiagonallyDominantMatrices) {
  for (int seed = 1; seed <= 60; ++seed)
    expect_exact_by_all_methods(diagonally_dominant(20 + seed, seed, 0.2), 1 + seed % 7, seed);
}

TEST_F(Spectra, OfRandomMatrices) {
  for (int seed = 1; seed <= 40; ++seed)
    expect_exact_by_all_methods(random_symmetric(10 + 2 * seed, seed), 1 + seed % 5, seed);
}

TEST_F(Spectra, OfExactMultiplicities) {
  for (int seed = 1; seed <= 30; ++seed) {
    const int n = 40 + seed;
    Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(n, 0, 10);
    const int first = seed % 3;
    for (int j = first; j < first + 2 + seed % 3; ++j) values[j] = values[first];
    expect_exact_by_all_methods(with_eigenvalues(values, seed), 1 + seed % 6, seed);
  }
}

TEST_F(Spectra, OfNearlyDegenerateClusters) {
  for (int seed = 1; seed <= 30; ++seed) {
    Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(60, 0, 12);
    for (int j = 0; j < 4; ++j) values[1 + j] = 0.3 + std::pow(10.0, -2 - seed % 8) * j;
    expect_exact_by_all_methods(with_eigenvalues(values, seed), 1 + seed % 6, seed);
  }
}

TEST_F(Spectra, OfUncoupledBlocksWhoseDiagonalHidesTheLowestState) {
  for (int seed = 1; seed <= 25; ++seed) {
    // The second block has the higher diagonal and, by strong coupling, the lower state.
    const Dense plain = diagonally_dominant(40, seed, 0.01);
    Dense hidden = Dense::Constant(30, 30, -0.5) + diagonally_dominant(30, seed + 100, 0.01);
    hidden.diagonal().array() += 5;
    const Dense a = block_diagonal(plain, hidden);
    ASSERT_LT(eigenvalues(hidden).front(), eigenvalues(plain).front());
    expect_exact_by_all_methods(a, 1 + seed % 4, seed);
  }
}

TEST_F(Spectra, OfDiagonalMatrices) {
  for (int seed = 1; seed <= 10; ++seed) {
    Eigen::VectorXd values = random_symmetric(50, seed).col(0);
    values[7] = values[3] = values[9];
    expect_exact_by_all_methods(values.asDiagonal(), 1 + seed % 6, seed);
  }
}

TEST_F(Spectra, OfOneAndTwoRowsAndOfAllStates) {
  for (int n = 1; n <= 9; ++n)
    for (const int states : {1, std::max(1, n - 1), n})
      expect_exact_by_all_methods(random_symmetric(n, 7 + n), states, n);
  expect_exact_by_all_methods(Dense::Zero(6, 6), 3, 1);
  expect_exact_by_all_methods(Dense::Identity(6, 6), 6, 1);
}

TEST_F(Spectra, MoreStatesThanRowsAreAllOfThem) {
  expect_exact_by_all_methods(random_symmetric(11, 3), 20, 1);
  const DenseOperator matrix(random_symmetric(11, 3), backend);
  Options options;
  options.states = 20;
  const auto result = solver::solve({matrix, backend}, options);
  EXPECT_EQ(result.method, Method::dense);
  EXPECT_EQ(result.completeness, Completeness::certified);
  EXPECT_NE(result.note.find("20 states were requested"), std::string::npos);
}

TEST_F(Spectra, WithinFewVectorsAState) {
  for (int seed = 1; seed <= 20; ++seed)
    for (const int per_state : {2, 3, 4}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << per_state << " a state");
      Options options;
      options.method = Method::davidson;
      options.states = 1 + seed % 4;
      options.per_state = per_state;
      options.max_iterations = 2000;
      // Two leave no column for a previous vector.
      options.search = per_state > 2 ? SearchEffort::full : SearchEffort::none;
      expect_exact(diagonally_dominant(150, seed, 0.15), options);
    }
}

TEST_F(Spectra, WhateverTheBlockWidthAndGuards) {
  const Dense a = diagonally_dominant(200, 5, 0.2);
  for (const int width : {1, 2, 3, 5, 8})
    for (const int guards : {0, 1, 4}) {
      SCOPED_TRACE(testing::Message() << "width " << width << ", guards " << guards);
      Options options;
      options.method = Method::davidson;
      options.states = 5;
      options.block_width = width;
      options.guards = guards;
      options.search = SearchEffort::full;
      expect_exact(a, options);
    }
}

}  // namespace
}  // namespace cisolve::test

#include "solver/task/result.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "base/block_kernels.hpp"
#include "solver/methods/solve.hpp"
#include "solver/vectors/metered_operator.hpp"
#include "solver/verification/verify.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

// Claims of a result must hold, however the solution ended.
namespace cisolve::test {
namespace {

using solver::Completeness;
using solver::Method;
using solver::Options;
using solver::SearchEffort;
using solver::Status;

class SolverResult : public BackendTest {
 protected:
  base::Backend backend = backend_under_test();

  static void expect_residuals_of(const Dense& a, const solver::Result& result) {
    const std::vector<double> residuals = residuals_of(a, result);
    for (std::size_t j = 0; j < residuals.size(); ++j)
      EXPECT_NEAR(result.states[j].residual, residuals[j], 1e-11) << "state " << j;
  }
};

TEST_F(SolverResult, OneProcessLeavesItsVectorsInPlace) {
  const DenseOperator matrix(diagonally_dominant(200, 6, 0.2), backend);
  solver::Result result = solver::solve({matrix, backend}, {.states = 2});
  solver::gather_whole_result(solver::kOneProcess, result);
  EXPECT_EQ(result.vectors.backend().kind(), backend.kind());
  EXPECT_EQ(result.vectors.rows(), 200);
}

/// Regardless of residuals, states of an operator in nano-units then have no digits.
TEST_F(SolverResult, AToleranceNotSmallComparedWithTheOperatorIsReported) {
  const Dense a = diagonally_dominant(200, 6, 0.2);
  for (const Method method : {Method::davidson, Method::lanczos})
    for (const double unit : {1.0, 1e-9}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(method) << ", unit " << unit);
      const DenseOperator matrix(unit * a, backend, method != Method::lanczos);
      Options options = davidson_options(3);
      options.method = method;
      const std::string note = solver::solve({matrix, backend}, options).note;
      EXPECT_EQ(note.find("is large compared with the spread") != std::string::npos, unit < 1)
          << note;
      options.tolerance *= unit;
      EXPECT_EQ(solver::solve({matrix, backend}, options).note.find("large compared"),
                std::string::npos);
    }
}

TEST_F(SolverResult, ResidualsEqualThoseOfItsVectorsAtAnyLimitOfIterations) {
  const DenseOperator matrix(diagonally_dominant(200, 6, 0.2), backend);
  for (const Method method : {Method::davidson, Method::lanczos})
    for (int limit = 0; limit < 5; ++limit) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(method) << ", limit " << limit);
      Options options = davidson_options(3);
      options.method = method;
      options.block_width = 1;  // an iteration corrects one state
      options.max_iterations = limit;
      const auto result = solver::solve({matrix, backend}, options);
      EXPECT_FALSE(result.converged());
      expect_residuals_of(matrix.matrix(), result);
    }
}

TEST_F(SolverResult, OnlyAResidualWithinTheToleranceIsConverged) {
  const DenseOperator matrix(diagonally_dominant(200, 6, 0.2), backend);
  for (const int limit : {2, 5, 9}) {
    Options options = davidson_options(1);
    options.max_iterations = limit;
    options.tolerance = 1e-9;
    const double reached = solver::solve({matrix, backend}, options).states[0].residual;
    for (const double factor : {1.01, 3.0, 9.9}) {
      SCOPED_TRACE(testing::Message() << "limit " << limit << ", factor " << factor);
      options.tolerance = reached / factor;
      const auto above = solver::solve({matrix, backend}, options);
      EXPECT_DOUBLE_EQ(above.states[0].residual, reached);
      EXPECT_EQ(above.states[0].status, Status::not_converged);
      options.tolerance = reached * factor;
      const auto below = solver::solve({matrix, backend}, options);
      EXPECT_LE(below.states[0].residual, options.tolerance);
      EXPECT_EQ(below.states[0].status, Status::converged);
    }
  }
}

// A residual is at least the rounding error of the largest element.
TEST_F(SolverResult, ADenseSolutionThatRoundingKeepsAboveTheToleranceIsLimited) {
  const DenseOperator huge(1e12 * random_symmetric(40, 3), backend);
  Options options;
  options.method = Method::dense;
  options.states = 3;
  const auto limited = solver::solve({huge, backend}, options);
  for (const auto& state : limited.states) {
    EXPECT_GT(state.residual, options.tolerance);
    EXPECT_EQ(state.status, Status::limited);
  }
  options.tolerance = 10;
  const auto converged = solver::solve({huge, backend}, options);
  for (const auto& state : converged.states) EXPECT_EQ(state.status, Status::converged);
}

TEST_F(SolverResult, RoundingFollowsFromTheLargestEigenvalueNotTheStates) {
  const DenseOperator matrix(with_eigenvalues(Eigen::VectorXd::LinSpaced(60, 0, 1e6), 2), backend);
  for (const Method method : {Method::davidson, Method::dense}) {
    Options options = davidson_options(1);
    options.method = method;
    options.tolerance = 1e-3;
    options.max_iterations = 1000;
    const auto result = solver::solve({matrix, backend}, options);
    EXPECT_TRUE(result.converged());
    EXPECT_GT(result.rounding, 5e5 * kEpsilon);
    EXPECT_GE(result.states[0].error_bound, result.rounding);
  }
}

TEST_F(SolverResult, NextIsTheLowestValueAboveTheStates) {
  const DenseOperator matrix(diagonally_dominant(120, 6, 0.2), backend);
  const auto exact = eigenvalues(matrix.matrix());
  for (const Method method : {Method::davidson, Method::dense})
    for (const int states : {1, 3}) {
      Options options = davidson_options(states);
      options.method = method;
      options.guards = 3;
      const auto result = solver::solve({matrix, backend}, options);
      ASSERT_TRUE(result.next.has_value());
      EXPECT_GE(*result.next, exact[states] - 1e-10);
      EXPECT_LT(*result.next, exact[states + 1] - 1e-3);
    }
}

// All eigenvectors but the lowest: residuals are rounding errors, and a state is missing.
TEST_F(SolverResult, ABasisThatLacksOneDirectionIsNotTheWholeSpace) {
  const Dense a = random_symmetric(12, 5);
  const Eigen::SelfAdjointEigenSolver<Dense> exact(a);
  const DenseOperator matrix(a, backend);
  const solver::Checkpoint start{on_backend(exact.eigenvectors().rightCols(11), backend),
                                 base::Layout::whole(exact.eigenvectors().rows())};
  Options options = davidson_options(1);
  options.search = SearchEffort::none;
  const auto without = solver::solve({matrix, backend}, options, nullptr, &start);
  EXPECT_NEAR(without.states[0].energy, exact.eigenvalues()[1], 1e-12);
  EXPECT_EQ(without.completeness, Completeness::not_checked);
  EXPECT_FALSE(without.beyond.counted);
  options.search = SearchEffort::automatic;
  const auto found = solver::solve({matrix, backend}, options, nullptr, &start);
  EXPECT_NEAR(found.states[0].energy, exact.eigenvalues()[0], 1e-12);
  EXPECT_EQ(found.completeness, Completeness::certified);
}

TEST_F(SolverResult, ADenseMatrixIsRefusedWhereItIsALittleAsymmetricOrNotFinite) {
  const auto message_of = [&](double much, double value) {
    DenseOperator broken(diagonally_dominant(60, 1), backend);
    broken.matrix()(3, 40) += much;
    broken.matrix()(5, 5) = value;
    try {
      solver::solve({broken, backend}, Options{});
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message_of(1e-13, 1), "");
  EXPECT_NE(message_of(1e-7, 1).find("not symmetric: element (3, 40)"), std::string::npos);
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_NE(message_of(0, value).find("infinite or NaN"), std::string::npos);
}

TEST_F(SolverResult, ElementsThatCancelAreNotAsymmetricByWhatIsLeftOfThem) {
  DenseOperator noise(Dense::Zero(2, 2), backend);
  noise.matrix()(0, 1) = 3e-16;
  noise.matrix()(1, 0) = -1e-16;
  EXPECT_THROW(solver::solve({noise, backend}, {.states = 2}), base::Error);
  const auto found = solver::solve({noise, backend}, {.states = 2, .scale = 3});
  for (const auto& state : found.states) {
    EXPECT_NEAR(state.energy, 0, 1e-15);
    EXPECT_GE(state.error_bound, 1e-15);
  }
  EXPECT_TRUE(solver::verify({noise, backend}, found, {}).passed);
}

class Bytes final : public DenseOperator {
 public:
  using DenseOperator::DenseOperator;
  base::OperatorDescription description() const override { return {.bytes_moved = 4096}; }
};

TEST_F(SolverResult, TheRateOfAResumedSolutionEqualsThatOfTheProductsTakenHere) {
  const Bytes matrix(random_symmetric(30, 1), backend);
  const solver::Problem problem{matrix, backend};
  solver::MeteredOperator metered(problem);
  EXPECT_EQ(metered.bytes_per_second(), 0);
  metered.continue_from(1000);
  base::MultiVector x(backend, 30, 3);
  base::MultiVector y(backend, 30, 3);
  base::block_kernels(backend).fill(backend, 1, x.block());
  metered.apply(x.block(), y.block());
  EXPECT_EQ(metered.products(), 1003);
  EXPECT_NEAR(metered.bytes_per_second() * metered.seconds(), 3 * 4096, 1e-6);
}

}  // namespace
}  // namespace cisolve::test

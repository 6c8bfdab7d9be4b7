#include "solver/task/state_selection.hpp"

#include <gmock/gmock.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "solver/methods/solve.hpp"
#include "solver/verification/verify.hpp"
#include "tests/solver/distributed_cases.hpp"
#include "tests/support/backend.hpp"

// Selected states other than the lowest, compared with Eigen's complete spectrum.
namespace cisolve::test {
namespace {

using solver::Completeness;
using solver::Method;
using solver::Options;
using solver::Result;
using solver::Target;
using testing::HasSubstr;

constexpr int kWantedRows = 150;

/// All states of a matrix.
struct Exact {
  explicit Exact(const Dense& a) {
    const Eigen::SelfAdjointEigenSolver<Dense> solved(a);
    energies = solved.eigenvalues();
    vectors = solved.eigenvectors();
  }

  /// Indices of the largest `merit`, ascending.
  std::vector<int> best(const Eigen::VectorXd& merit, int count) const {
    std::vector<int> numbers(energies.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    std::ranges::sort(numbers, std::greater(), [&](int j) { return merit[j]; });
    numbers.resize(count);
    std::ranges::sort(numbers);
    return numbers;
  }

  /// Weight of each state in the span of orthonormal vectors.
  Eigen::VectorXd weights_in(const Dense& target) const {
    return (target.transpose() * vectors).colwise().squaredNorm();
  }

  Eigen::VectorXd energies;
  Dense vectors;
};

Dense unit_vector(int row) { return Dense::Identity(kWantedRows, kWantedRows).col(row); }

class SelectedStates : public BackendTest {
 protected:
  Target target(const Dense& vectors) const {
    return {on_backend(vectors, backend), base::Layout::whole(vectors.rows())};
  }

  static Options following(const Target& target, int states, Method method = Method::davidson) {
    Options options = davidson_options(states);
    options.method = method;
    options.follow = &target;
    return options;
  }

  /// Expects exactly these states, with their weights, and no claim that they are lowest.
  void expect_states(const Exact& exact, const std::vector<int>& numbers, const Dense& a,
                     const Result& found) const {
    EXPECT_TRUE(found.converged());
    ASSERT_EQ(std::ssize(found.states), std::ssize(numbers));
    const std::vector<double> residuals = residuals_of(a, found);
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      EXPECT_NEAR(found.states[j].energy, exact.energies[numbers[j]], 1e-10);
      EXPECT_LE(residuals[j], 1.5e-8);
      EXPECT_EQ(found.states[j].error_estimate, found.states[j].error_bound);
    }
    EXPECT_EQ(found.completeness, Completeness::not_checked);
    EXPECT_EQ(found.search, solver::SearchEnd::not_lowest);
    EXPECT_EQ(found.beyond.states, 0);
    EXPECT_FALSE(found.beyond.counted);
    EXPECT_FALSE(found.next);
    EXPECT_TRUE(found.chosen);
  }

  base::Backend backend = backend_under_test();
};

TEST_F(SelectedStates, HaveTheLargestWeightOnARow) {
  for (int seed = 1; seed <= 3; ++seed) {
    const Dense a = diagonally_dominant(kWantedRows, seed, 0.1);
    const Exact exact(a);
    const DenseOperator matrix(a, backend);
    for (const int row : {3, 11, 40, 90}) {
      const Eigen::VectorXd weights = exact.weights_in(unit_vector(row));
      const std::vector<int> best = exact.best(weights, 1);
      const Target wanted = target(unit_vector(row));
      for (const Method method : {Method::davidson, Method::dense}) {
        const Result found = solver::solve({matrix, backend}, following(wanted, 1, method));
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", row " << row);
        expect_states(exact, best, a, found);
        EXPECT_NEAR(found.chosen->weights.at(0), weights[best[0]], 1e-8);
        EXPECT_NEAR(found.chosen->others, 1 - weights[best[0]], 1e-8);
        EXPECT_EQ(found.chosen->is_certain(), weights[best[0]] > 0.5);
      }
    }
  }
}

TEST_F(SelectedStates, MayBeSeveralWithTargetsThatAreNotOrthonormal) {
  const Dense a = diagonally_dominant(kWantedRows, 5, 0.1);
  const Exact exact(a);
  const DenseOperator matrix(a, backend);
  const std::vector<int> numbers{7, 12, 13};
  const Dense noise =
      random_symmetric(kWantedRows, 3).leftCols(3) *
      Eigen::Vector3d(0.03, 0.02, 0.01).asDiagonal();  // the last has the largest weight
  Dense span = exact.vectors(Eigen::all, numbers) + noise;
  const Dense basis =
      Eigen::HouseholderQR<Dense>(span).householderQ() * Dense::Identity(kWantedRows, 3);
  const Eigen::VectorXd weights = exact.weights_in(basis);
  ASSERT_EQ(exact.best(weights, 3), numbers);
  span.col(2) += 5 * span.col(0);
  const Target wanted = target(span);
  for (const Method method : {Method::davidson, Method::dense}) {
    const Result found = solver::solve({matrix, backend}, following(wanted, 3, method));
    expect_states(exact, numbers, a, found);
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(found.chosen->weights.at(j), weights[numbers[j]], 1e-8);
    EXPECT_NEAR(found.chosen->others, 3 - weights(numbers).sum(), 1e-8);
    EXPECT_TRUE(found.chosen->is_certain());
  }
}

TEST_F(SelectedStates, SurviveRestartsAndCheckpoints) {
  const Dense a = diagonally_dominant(kWantedRows, 2, 0.1);
  const Exact exact(a);
  const DenseOperator matrix(a, backend);
  const Target wanted = target(exact.vectors.col(20) + 0.4 * exact.vectors.col(60));
  Options options = following(wanted, 1);
  options.max_subspace = 10;
  const Result found = solver::solve({matrix, backend}, options);
  EXPECT_GT(found.restarts, 0);
  expect_states(exact, {20}, a, found);
  // Start vectors may be unrelated to the followed state.
  const solver::Checkpoint start{on_backend(exact.vectors.leftCols(2), backend),
                                 base::Layout::whole(kWantedRows)};
  options.max_subspace = 0;
  options.guards = 3;
  expect_states(exact, {20}, a, solver::solve({matrix, backend}, options, nullptr, &start));
}

TEST_F(SelectedStates, NeedNoIterationIfTheTargetsAreEigenvectors) {
  const Dense a = diagonally_dominant(kWantedRows, 4, 0.3);
  const Exact exact(a);
  const DenseOperator matrix(a, backend);
  const Target wanted = target(exact.vectors(Eigen::all, {30, 70}));
  const Result found = solver::solve({matrix, backend}, following(wanted, 2));
  expect_states(exact, {30, 70}, a, found);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_EQ(found.products, 2);
}

TEST_F(SelectedStates, AreVerifiedWithoutAClaimToBeLowest) {
  const Dense a = diagonally_dominant(kWantedRows, 1, 0.1);
  const DenseOperator matrix(a, backend);
  const Target wanted = target(unit_vector(40));
  const Result found = solver::solve({matrix, backend}, following(wanted, 2));
  const solver::Verification verified = solver::verify({matrix, backend}, found, {});
  EXPECT_TRUE(verified.passed);
  EXPECT_EQ(verified.completeness, Completeness::not_checked);
  EXPECT_FALSE(verified.beyond.counted);
  for (const solver::VerifiedState& state : verified.states)
    EXPECT_EQ(state.error_estimate, state.error_bound);
  Result as_lowest = solver::solve({matrix, backend}, following(wanted, 2));
  as_lowest.chosen.reset();
  EXPECT_FALSE(solver::verify({matrix, backend}, as_lowest, {}).passed);
}

TEST_F(SelectedStates, AreRefusedForImpossibleTargetsOrMethods) {
  const DenseOperator matrix(diagonally_dominant(kWantedRows, 1), backend);
  const auto refusal = [&](const Options& options) {
    try {
      solver::solve({matrix, backend}, options);
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  const Target wanted = target(unit_vector(3));
  const Target nothing = target(Dense::Zero(kWantedRows, 2));
  const Target longer = target(Dense::Ones(kWantedRows + 1, 1));
  EXPECT_THAT(refusal(following(wanted, 1, Method::lanczos)), HasSubstr("expected another method"));
  EXPECT_THAT(refusal(following(nothing, 1)), HasSubstr("are zero"));
  EXPECT_THAT(refusal(following(longer, 1)), HasSubstr("expected vectors of the same space"));
}

TEST_F(SelectedStates, AreTheSameOnRanks) {
  const Dense a = diagonally_dominant(kWantedRows, 6, 0.1);
  const Exact exact(a);
  const Dense wanted = exact.vectors.col(9) + 0.3 * exact.vectors.col(2);
  for (const RowDistribution& distribution : all_distributions()) {
    SCOPED_TRACE(distribution.name);
    for (const Method method : {Method::davidson, Method::dense}) {
      const Found found = solved_by(distribution, a, [&](Member& member) {
        const Target mine{own_rows_of(wanted, member), member.layout};
        return solver::solve(member.problem, following(mine, 1, method));
      });
      EXPECT_NEAR(found.of_rank[0].states[0].energy, exact.energies[9], 1e-10);
      EXPECT_NEAR(found.of_rank[0].chosen->weights.at(0), 1 / 1.09, 1e-8);
    }
  }
}

TEST_F(SelectedStates, AreFoundByTheDenseMethodInSmallMatrices) {
  const DenseOperator matrix(diagonally_dominant(700, 3), backend);
  Dense unit = Dense::Zero(700, 1);
  unit(20, 0) = 1;
  const Target wanted{on_backend(unit, backend), base::Layout::whole(700)};
  const Result found = solver::solve({matrix, backend}, following(wanted, 1, Method::automatic));
  EXPECT_EQ(found.method, Method::dense);
  Options lowest = davidson_options(1);
  lowest.method = Method::automatic;
  EXPECT_EQ(solver::solve({matrix, backend}, lowest).method, Method::davidson);
}

}  // namespace
}  // namespace cisolve::test

#include <gmock/gmock.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "solver/methods/solve.hpp"
#include "solver/task/model_space.hpp"
#include "solver/task/state_selection.hpp"
#include "solver/verification/verify.hpp"
#include "tests/solver/distributed_cases.hpp"
#include "tests/support/backend.hpp"

// States nearest to an energy, compared with Eigen's complete spectrum.
namespace cisolve::test {
namespace {

using solver::Completeness;
using solver::Method;
using solver::Options;
using solver::Result;
using solver::SearchEnd;
using testing::HasSubstr;

constexpr int kNearRows = 240;

class StatesNear : public BackendTest {
 protected:
  static Options near(double energy, int states, Method method = Method::davidson) {
    Options options = davidson_options(states);
    options.method = method;
    options.near = energy;
    return options;
  }

  static std::vector<double> nearest(std::vector<double> all, double energy, int states) {
    std::ranges::sort(all, {}, [=](double e) { return std::abs(e - energy); });
    all.resize(states);
    std::ranges::sort(all);
    return all;
  }

  void expect_nearest(const Dense& a, const Result& found, double energy, int states) const {
    EXPECT_TRUE(found.converged());
    const std::vector<double> expected = nearest(eigenvalues(a), energy, states);
    ASSERT_EQ(found.states.size(), expected.size());
    const std::vector<double> residuals = residuals_of(a, found);
    for (int j = 0; j < states; ++j) {
      EXPECT_NEAR(found.states[j].energy, expected[j], 1e-10);
      EXPECT_LE(residuals[j], 1.5e-8);
      EXPECT_EQ(found.states[j].error_estimate, found.states[j].error_bound);
    }
    EXPECT_EQ(found.near, energy);
    EXPECT_FALSE(found.are_lowest());
    EXPECT_FALSE(found.next);
    EXPECT_FALSE(found.beyond.counted);
  }

  base::Backend backend = backend_under_test();
};

TEST_F(StatesNear, AreFoundOnBothSides) {
  for (int seed = 1; seed <= 2; ++seed) {
    const Dense a = diagonally_dominant(kNearRows, seed, 0.03);
    const DenseOperator matrix(a, backend);
    const std::vector<double> all = eigenvalues(a);
    for (const double energy : {all[0] - 1, 0.6 * all[7] + 0.4 * all[8], all[60] + 1e-3})
      for (const int states : {1, 4})
        for (const Method method : {Method::davidson, Method::dense}) {
          SCOPED_TRACE(testing::Message() << seed << ", " << states << " near " << energy);
          const Result found = solver::solve({matrix, backend}, near(energy, states, method));
          expect_nearest(a, found, energy, states);
          EXPECT_EQ(found.completeness,
                    method == Method::dense ? Completeness::certified : Completeness::searched);
        }
  }
}

TEST_F(StatesNear, OfEqualDistanceOnEitherSideAreSeparated) {
  const Dense block = diagonally_dominant(200, 5, 0.03);
  const double energy = 0.55 * eigenvalues(block)[10] + 0.45 * eigenvalues(block)[11];
  const Dense centred = block - energy * Dense::Identity(200, 200);
  const Dense a = block_diagonal(centred, -centred);
  const DenseOperator matrix(a, backend);
  for (const int states : {2, 4})
    expect_nearest(a, solver::solve({matrix, backend}, near(0, states)), 0, states);
}

TEST_F(StatesNear, OfOneEnergyAreAllFound) {
  const Dense block = diagonally_dominant(120, 3, 0.1);
  const Dense a = block_diagonal(block, block_diagonal(block, block));
  const double energy = eigenvalues(block)[20];
  const DenseOperator matrix(a, backend);
  const Result found = solver::solve({matrix, backend}, near(energy + 1e-4, 3));
  expect_nearest(a, found, energy + 1e-4, 3);
}

TEST_F(StatesNear, LoseNoDigitsFarFromZero) {
  const Dense shifted =
      diagonally_dominant(kNearRows, 4, 0.03) + 1e4 * Dense::Identity(kNearRows, kNearRows);
  const DenseOperator matrix(shifted, backend);
  const double energy = eigenvalues(shifted)[30] + 1e-5;
  Options options = near(energy, 2);
  options.tolerance = 1e-7;
  const Result found = solver::solve({matrix, backend}, options);
  EXPECT_TRUE(found.converged());
  const std::vector<double> expected = nearest(eigenvalues(shifted), energy, 2);
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(found.states[j].energy, expected[j], 1e-8);
}

TEST_F(StatesNear, MissingFromTheStartVectorsAreFoundByTheSearch) {
  // The start lies in the first of two uncoupled blocks.
  const Dense block = diagonally_dominant(120, 6, 0.03);
  const Dense a = block_diagonal(block, block + 0.013 * Dense::Identity(120, 120));
  const double energy = eigenvalues(block)[12] + 0.02;
  const DenseOperator matrix(a, backend);
  const Eigen::SelfAdjointEigenSolver<Dense> of_block(block);
  Dense start = Dense::Zero(240, 2);
  for (int j = 0; j < 2; ++j) start.col(j).head(120) = of_block.eigenvectors().col(12 + j);
  const solver::Checkpoint checkpoint{on_backend(start, backend), base::Layout::whole(240)};
  Options options = near(energy, 2);
  const Result found = solver::solve({matrix, backend}, options, nullptr, &checkpoint);
  expect_nearest(a, found, energy, 2);
  EXPECT_EQ(found.completeness, Completeness::searched);
  options.search = solver::SearchEffort::none;
  const Result unsearched = solver::solve({matrix, backend}, options, nullptr, &checkpoint);
  EXPECT_EQ(unsearched.completeness, Completeness::not_checked);
  EXPECT_EQ(unsearched.search, SearchEnd::not_wanted);
}

TEST_F(StatesNear, BeginNearby) {
  Dense a = Dense::Zero(40, 40);
  for (int i = 0; i < 40; ++i) a(i, i) = (i * 7) % 40;
  a += 0.01 * random_symmetric(40, 3);
  const DenseOperator matrix(a, backend);
  const solver::Problem problem{matrix, backend};
  solver::MeteredOperator metered(problem);
  solver::Vectors vectors(backend, problem.communicator, base::Layout::whole(40), 4);
  base::MultiVector diagonal = vectors.make(1, "the diagonal");
  ASSERT_TRUE(metered.diagonal(diagonal));
  const solver::ModelSpace model =
      solver::make_model_space(problem, metered, vectors, diagonal, 3, 2, 21.2);
  std::vector<base::Index> expected{3, 20, 26};  // 21, 20 and 22
  EXPECT_EQ(model.rows, expected);
  base::MultiVector start(backend, 40, 1);
  solver::fill_from_model(model, vectors, 21.9, 0, start.block());
  const auto y = start.to(backend.host());
  EXPECT_GT(std::abs(y.block().column(0)[26]), 0.99);
}

TEST_F(StatesNear, SurviveRestarts) {
  const Dense a = diagonally_dominant(kNearRows, 2, 0.1);
  const DenseOperator matrix(a, backend);
  const double energy = eigenvalues(a)[25] + 1e-3;
  Options options = near(energy, 2);
  options.max_subspace = 14;
  const Result found = solver::solve({matrix, backend}, options);
  EXPECT_GT(found.restarts, 0);
  expect_nearest(a, found, energy, 2);
}

/// There the step off the states is below the spacing of doubles.
TEST_F(StatesNear, AreVerifiedAtAnyDistanceFromTheEnergy) {
  const Dense a = diagonally_dominant(60, 4, 0.03);
  const DenseOperator matrix(a, backend);
  for (const double energy : {-1e12, 1e20, -1e100}) {
    const Result found = solver::solve({matrix, backend}, near(energy, 2, Method::dense));
    EXPECT_TRUE(solver::verify({matrix, backend}, found, {}).passed) << energy;
  }
}

TEST_F(StatesNear, AreVerifiedAsTheNearest) {
  const Dense a = diagonally_dominant(kNearRows, 1, 0.03);
  const DenseOperator matrix(a, backend);
  const std::vector<double> all = eigenvalues(a);
  const double energy = 0.5 * (all[30] + all[31]) + 1e-4;
  const Result found = solver::solve({matrix, backend}, near(energy, 3));
  const solver::Verification verified = solver::verify({matrix, backend}, found, {});
  EXPECT_TRUE(verified.passed);
  EXPECT_EQ(verified.completeness, Completeness::certified);
  EXPECT_FALSE(verified.beyond.counted);
  Result elsewhere = solver::solve({matrix, backend}, near(energy, 3));
  elsewhere.near = all[36];
  const solver::Verification refused = solver::verify({matrix, backend}, elsewhere, {});
  EXPECT_FALSE(refused.passed);
  EXPECT_THAT(refused.failures.at(0), HasSubstr("eigenvalues lie nearer to"));
  elsewhere.near.reset();
  EXPECT_FALSE(solver::verify({matrix, backend}, elsewhere, {}).passed);
}

TEST_F(StatesNear, AreRefusedIfImpossible) {
  const DenseOperator matrix(diagonally_dominant(100, 1), backend);
  const auto refusal = [&](const Options& options) {
    try {
      solver::solve({matrix, backend}, options);
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  EXPECT_THAT(refusal(near(0, 1, Method::lanczos)), HasSubstr("expected another method"));
  EXPECT_THAT(refusal(near(std::nan(""), 1)), HasSubstr("expected a finite energy"));
  const solver::Target target{on_backend(Dense::Ones(100, 1), backend), base::Layout::whole(100)};
  Options both = near(0, 1);
  both.follow = &target;
  EXPECT_THAT(refusal(both), HasSubstr("expected one of them"));
}

TEST_F(StatesNear, AreTheSameOnRanks) {
  const Dense a = diagonally_dominant(150, 6, 0.03);
  const std::vector<double> all = eigenvalues(a);
  const double energy = all[9] + 1e-3;
  for (const RowDistribution& distribution : all_distributions()) {
    SCOPED_TRACE(distribution.name);
    for (const Method method : {Method::davidson, Method::dense}) {
      const Found found = solved_by(distribution, a, [&](Member& member) {
        return solver::solve(member.problem, near(energy, 1, method));
      });
      EXPECT_NEAR(found.of_rank[0].states[0].energy, all[9], 1e-10);
      EXPECT_NE(found.of_rank[0].completeness, Completeness::not_checked);
    }
  }
}

}  // namespace
}  // namespace cisolve::test

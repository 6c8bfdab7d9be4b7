#include <Eigen/Eigenvalues>
#include <optional>

#include "solver/methods/solve.hpp"
#include "solver/verification/verify.hpp"
#include "tests/solver/distributed_cases.hpp"
#include "tests/solver/stops_at.hpp"
#include "tests/support/backend.hpp"

// Ranks find what one process finds, for any distribution of rows.
namespace cisolve::test {
namespace {

using solver::Completeness;
using solver::Method;
using solver::Options;

/// Options and elements of a problem.
struct SolveSettings {
  Options options = {};
  bool knows_diagonal = true;
  bool has_elements = false;
  std::vector<Index> model_rows = {};
};

class Ranks : public BackendTest, public testing::WithParamInterface<RowDistribution> {
 protected:
  static constexpr int kRows = 120;

  static Options options_of(Method method, int states = 3) {
    Options options = davidson_options(states);
    options.method = method;
    options.max_iterations = 400;
    options.search = solver::SearchEffort::full;
    options.model_size = 20;
    return options;
  }

  /// Expects the results and the path of one process.
  void expect_as_in_one_process(const Dense& a, const SolveSettings& way) const {
    const base::Backend backend = backend_of_rank();
    const DenseOperator matrix(a, backend, way.knows_diagonal);
    const ElementsOf elements(a);
    solver::Problem problem{matrix, backend};
    const auto complete = [&](solver::Problem& one) {
      if (way.has_elements) one.model_block = &elements;
      one.model_rows = way.model_rows;
    };
    complete(problem);
    const solver::Result alone = solver::solve(problem, way.options);
    const Found found = solved_by(
        GetParam(), a,
        [&](Member& member) {
          complete(member.problem);
          return solver::solve(member.problem, way.options);
        },
        way.knows_diagonal);
    const solver::Result& result = found.of_rank.front();
    expect_same(result, alone);
    expect_residuals(a, found, way.options.tolerance);
  }

  static void expect_same(const solver::Result& result, const solver::Result& alone) {
    EXPECT_EQ(result.converged(), alone.converged());
    EXPECT_EQ(result.method, alone.method);
    EXPECT_EQ(result.completeness, alone.completeness);
    EXPECT_EQ(result.search, alone.search);
    EXPECT_EQ(result.note, alone.note);
    EXPECT_EQ(result.model_products, alone.model_products);
    EXPECT_EQ(result.beyond.states, alone.beyond.states);
    EXPECT_EQ(result.beyond.counted, alone.beyond.counted);
    // An equal start up to the order of sums: nearly as many products.
    EXPECT_NEAR(static_cast<double>(result.products), static_cast<double>(alone.products),
                0.2 * static_cast<double>(alone.products) + 2);
    ASSERT_EQ(result.states.size(), alone.states.size());
    for (std::size_t j = 0; j < alone.states.size(); ++j)
      EXPECT_NEAR(result.states[j].energy, alone.states[j].energy, 1e-10);
  }

  static void expect_residuals(const Dense& a, const Found& found, double tolerance) {
    const Dense& x = found.vectors;
    ASSERT_EQ(x.cols(), std::ssize(found.of_rank.front().states));
    EXPECT_LT((x.transpose() * x - Dense::Identity(x.cols(), x.cols())).norm(), 1e-10);
    for (int j = 0; j < x.cols(); ++j) {
      const solver::State& state = found.of_rank.front().states[j];
      const double residual = (a * x.col(j) - state.energy * x.col(j)).norm();
      EXPECT_LE(residual, 1.01 * tolerance);
      EXPECT_NEAR(residual, state.residual, 1e-3 * tolerance);
    }
  }

  const Dense a_ = diagonally_dominant(kRows, 5, 0.2);
};

INSTANTIATE_TEST_SUITE_P(Distributions, Ranks, testing::ValuesIn(all_distributions()),
                         testing::PrintToStringParamName());

TEST_P(Ranks, DavidsonFindsTheSame) {
  expect_as_in_one_process(a_, {options_of(Method::davidson)});
  Options olsen = options_of(Method::davidson, 2);
  olsen.correction = solver::Correction::olsen;
  olsen.per_state = 4;  // restarts
  expect_as_in_one_process(a_, {olsen});
}

TEST_P(Ranks, DavidsonWithAModelSpaceFindsTheSame) {
  Options options = options_of(Method::davidson);
  expect_as_in_one_process(a_, {.options = options, .has_elements = true});
  expect_as_in_one_process(
      a_, {.options = options, .has_elements = true, .model_rows = {2, 17, 30, 31, 77, 119}});
  options.preconditioner = solver::PreconditionerKind::model_space;
  options.start = solver::StartKind::model_space;
  expect_as_in_one_process(a_, {options});
  options.model_size = 2;  // fewer than states: unit vectors
  expect_as_in_one_process(a_, {options});
}

TEST_P(Ranks, LanczosFindsTheSame) {
  expect_as_in_one_process(a_, {options_of(Method::lanczos)});
  Options options = options_of(Method::automatic);
  options.dense_limit = 0;
  expect_as_in_one_process(a_, {.options = options, .knows_diagonal = false});
}

TEST_P(Ranks, ADenseSolutionIsTheSame) {
  expect_as_in_one_process(a_, {options_of(Method::dense)});
  const Dense tiny = random_symmetric(3, 1);  // fewer rows than ranks
  for (const Method method : {Method::automatic, Method::davidson})
    expect_as_in_one_process(tiny, {options_of(method, 5)});
}

// Below: a state of a block that the start does not touch; above: one cut from a degenerate pair.
TEST_P(Ranks, TheSearchFindsMissedStatesAndCountsCutMultiplets) {
  Dense hidden = Dense::Constant(30, 30, -0.3) + diagonally_dominant(30, 104, 0.01);
  hidden.diagonal().array() += 4;
  const Dense with_hidden = block_diagonal(diagonally_dominant(90, 4, 0.02), hidden);
  const auto exact = eigenvalues(with_hidden);
  const Eigen::SelfAdjointEigenSolver<Dense> visible(with_hidden.topLeftCorner(90, 90));
  Dense start = Dense::Zero(kRows, 5);
  start.topRows(90) = visible.eigenvectors().leftCols(5);
  const Options options = options_of(Method::davidson, 4);
  const Found found = solved_by(GetParam(), with_hidden, [&](Member& member) {
    const solver::Checkpoint given{own_rows_of(start, member), member.layout};
    return solver::solve(member.problem, options, nullptr, &given);
  });
  for (int j = 0; j < 4; ++j) EXPECT_NEAR(found.of_rank[0].states[j].energy, exact[j], 1e-10);
  EXPECT_EQ(found.of_rank[0].completeness, Completeness::searched);

  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(kRows, 0, 30);
  values[3] = values[2];
  expect_as_in_one_process(with_eigenvalues(values, 5), {options_of(Method::davidson)});
}

TEST_P(Ranks, AResultIsVerifiedTogether) {
  const Options options = options_of(Method::davidson);
  solved_by(GetParam(), a_, [&](Member& member) {
    solver::Result result = solver::solve(member.problem, options);
    const auto counted = solver::verify(member.problem, result, {});
    EXPECT_TRUE(counted.passed);
    EXPECT_EQ(counted.completeness, Completeness::certified);
    EXPECT_TRUE(counted.beyond.counted);
    EXPECT_NEAR(counted.max_residual, result.states[2].residual, 1e-8);
    for (int j = 0; j < 3; ++j)
      EXPECT_LT(counted.states[j].error_bound, 1e-11) << "counted, not by the residual";
    const auto searched =
        solver::verify(member.problem, energies_of(result), result.vectors.block(),
                       {.certify_limit = 0, .search = true});
    EXPECT_TRUE(searched.passed);
    EXPECT_EQ(searched.completeness, Completeness::searched);
    for (const auto& verification : {counted, searched})
      for (const solver::VerifiedState& state : verification.states) {
        EXPECT_TRUE(member.ranks.all_same(state.error_bound));
        EXPECT_TRUE(member.ranks.all_same(state.rayleigh_quotient));
      }
    return result;
  });
}

TEST_P(Ranks, AFaultOfOneRankFailsTheVerificationOnAll) {
  const Eigen::SelfAdjointEigenSolver<Dense> exact(a_);
  for (const int broken : {0, 60, 119}) {
    Dense x = exact.eigenvectors().leftCols(3);
    x(broken, 1) += 1e-3;
    base::run_as_ranks(GetParam().ranks, [&](const base::Communicator& ranks) {
      Member member(ranks, a_, GetParam());
      const std::vector<double> energies(exact.eigenvalues().begin(),
                                         exact.eigenvalues().begin() + 3);
      const auto mine = own_rows_of(x, member);
      const auto found = solver::verify(member.problem, energies, mine.block(), {});
      EXPECT_FALSE(found.passed);
      EXPECT_GT(found.max_residual, 1e-4);
    });
  }
  base::run_as_ranks(GetParam().ranks, [&](const base::Communicator& ranks) {
    Member member(ranks, a_, GetParam());
    const std::vector<double> energies{exact.eigenvalues()[0], exact.eigenvalues()[2]};
    Dense x(kRows, 2);
    x << exact.eigenvectors().col(0), exact.eigenvectors().col(2);
    const auto mine = own_rows_of(x, member);
    EXPECT_FALSE(solver::verify(member.problem, energies, mine.block(), {}).passed);
    EXPECT_FALSE(
        solver::verify(member.problem, energies, mine.block(), {.certify_limit = 0, .search = true})
            .passed);
  });
}

TEST_P(Ranks, EachRankResumesFromItsRowsOfACheckpoint) {
  const auto exact = eigenvalues(a_);
  for (const Method method : {Method::davidson, Method::lanczos}) {
    Options options = options_of(method);
    options.per_state = method == Method::lanczos ? 4 : 0;
    const int stop = method == Method::lanczos ? 1 : 4;
    const Found found = solved_by(GetParam(), a_, [&](Member& member) {
      StopsAt killer(stop);
      const solver::Result part = solver::solve(member.problem, options, &killer);
      EXPECT_FALSE(part.converged());
      EXPECT_EQ(part.states.back().status, solver::Status::stopped);
      EXPECT_EQ(killer.saved->basis.rows(), member.matrix.rows());
      return solver::solve(member.problem, options, nullptr, &*killer.saved);
    });
    const solver::Result& rest = found.of_rank.front();
    EXPECT_TRUE(rest.converged());
    EXPECT_EQ(rest.history.front().number, stop);
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(rest.states[j].energy, exact[j], 1e-10);
    expect_residuals(a_, found, options.tolerance);
  }
}

TEST_P(Ranks, TheSameLayoutGivesTheSameBits) {
  const Options options = options_of(Method::davidson);
  const auto solve = [&] {
    return solved_by(GetParam(), a_,
                     [&](Member& member) { return solver::solve(member.problem, options); });
  };
  const Found first = solve();
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Found again = solve();
    EXPECT_EQ(energies_of(again.of_rank[0]), energies_of(first.of_rank[0]));
    EXPECT_EQ(again.vectors, first.vectors);
  }
}

}  // namespace
}  // namespace cisolve::test

#include "solver/methods/solve.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "solver/vectors/space_bytes.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/sanitizers.hpp"

namespace cisolve::test {
namespace {

using solver::Completeness;
using solver::Method;
using solver::Options;
using solver::SearchEffort;
using solver::Status;

class Solve : public BackendTest {
 protected:
  base::Backend backend = backend_under_test();
};

TEST_F(Solve, ChoosesTheMethodByTheMatrix) {
  const DenseOperator small(random_symmetric(30, 1), backend);
  const DenseOperator large(diagonally_dominant(600, 1), backend);
  const DenseOperator bare(diagonally_dominant(600, 1), backend, false);
  Dense flat = random_symmetric(600, 1);
  flat.diagonal().setConstant(2);
  const DenseOperator constant(flat, backend);
  Options options;
  options.max_iterations = 1000;
  EXPECT_EQ(solver::solve({small, backend}, options).method, Method::dense);
  EXPECT_EQ(solver::solve({large, backend}, options).method, Method::davidson);
  EXPECT_EQ(solver::solve({bare, backend}, options).method, Method::lanczos);
  EXPECT_EQ(solver::solve({constant, backend}, options).method, Method::lanczos);
}

TEST_F(Solve, StartFromAnExactEigenvectorOfAnotherState) {
  for (int seed = 1; seed <= 10; ++seed) {
    const Dense a = diagonally_dominant(120, seed, 0.3);
    const Eigen::SelfAdjointEigenSolver<Dense> exact(a);
    const DenseOperator matrix(a, backend);
    const solver::Checkpoint start{on_backend(exact.eigenvectors().col(2 + seed % 5), backend),
                                   base::Layout::whole(120)};
    Options options = davidson_options(1 + seed % 2);
    options.guards = 0;
    const auto result = solver::solve({matrix, backend}, options, nullptr, &start);
    for (int j = 0; j < options.states; ++j)
      EXPECT_NEAR(result.states[j].energy, exact.eigenvalues()[j], 1e-10) << "seed " << seed;
    EXPECT_TRUE(result.converged());
  }
}

TEST_F(Solve, StartOrthogonalToTheWantedState) {
  for (int seed = 1; seed <= 10; ++seed) {
    const Dense a = diagonally_dominant(120, seed, 0.3);
    const Eigen::SelfAdjointEigenSolver<Dense> exact(a);
    const DenseOperator matrix(a, backend);
    Eigen::VectorXd v = random_symmetric(120, seed + 50).col(0);
    v -= exact.eigenvectors().col(0) * exact.eigenvectors().col(0).dot(v);
    const solver::Checkpoint start{on_backend(v, backend), base::Layout::whole(120)};
    Options options = davidson_options(1);
    options.guards = 0;
    const auto result = solver::solve({matrix, backend}, options, nullptr, &start);
    EXPECT_NEAR(result.states[0].energy, exact.eigenvalues()[0], 1e-10) << "seed " << seed;
  }
  // Another symmetry: no product leads from the start vector to the state.
  const Dense wanted = diagonally_dominant(40, 3, 0.3);
  const Dense other = diagonally_dominant(80, 4, 0.3) + 5 * Dense::Identity(80, 80);
  const DenseOperator matrix(block_diagonal(other, wanted), backend);
  base::MultiVector first(backend.host(), 120, 1);
  for (Index row = 0; row < 120; ++row) first(row, 0) = row == 0 ? 1 : 0;
  const solver::Checkpoint start{std::move(first), base::Layout::whole(120)};
  Options options = davidson_options(1);
  options.guards = 0;
  const auto result = solver::solve({matrix, backend}, options, nullptr, &start);
  EXPECT_NEAR(result.states[0].energy, eigenvalues(wanted).front(), 1e-10);
}

TEST_F(Solve, TheEnergiesDoNotDependOnTheNumberOfStates) {
  const DenseOperator matrix(diagonally_dominant(300, 4, 0.2), backend);
  const auto many = solver::solve({matrix, backend}, davidson_options(8));
  for (int states = 1; states < 8; ++states) {
    const auto few = solver::solve({matrix, backend}, davidson_options(states));
    for (int j = 0; j < states; ++j)
      EXPECT_NEAR(few.states[j].energy, many.states[j].energy, 1e-12);
  }
}

TEST_F(Solve, RepeatsGiveTheSameBits) {
  const DenseOperator matrix(diagonally_dominant(400, 6, 0.2), backend);
  for (const Method method : {Method::davidson, Method::lanczos}) {
    Options options = davidson_options(3);
    options.method = method;
    const auto first = solver::solve({matrix, backend}, options);
    const auto x = first.vectors.to(backend.host());
    for (int repeat = 1; repeat < unless_sanitized(20, 4); ++repeat) {
      const auto again = solver::solve({matrix, backend}, options);
      EXPECT_EQ(again.products, first.products);
      const auto y = again.vectors.to(backend.host());
      for (int j = 0; j < 3; ++j) {
        EXPECT_EQ(again.states[j].energy, first.states[j].energy);
        EXPECT_TRUE(
            std::equal(x.block().column(j), x.block().column(j) + 400, y.block().column(j)));
      }
    }
  }
}

TEST_F(Solve, TheLimitOfIterationsIsAResult) {
  const DenseOperator matrix(diagonally_dominant(400, 6, 0.2), backend);
  for (const Method method : {Method::davidson, Method::lanczos}) {
    Options options = davidson_options(2);
    options.method = method;
    options.max_iterations = method == Method::davidson ? 3 : 0;
    const auto result = solver::solve({matrix, backend}, options);
    EXPECT_FALSE(result.converged());
    EXPECT_EQ(result.completeness, Completeness::not_checked);
    for (const auto& state : result.states) {
      EXPECT_EQ(state.status, Status::not_converged);
      EXPECT_GT(state.residual, options.tolerance);
    }
  }
}

TEST_F(Solve, AnImpossibleToleranceEndsAtTheLimitOfArithmetic) {
  const DenseOperator matrix(diagonally_dominant(300, 6, 0.1), backend);
  Options options = davidson_options(1);
  options.tolerance = 1e-25;
  const auto result = solver::solve({matrix, backend}, options);
  EXPECT_EQ(result.states[0].status, Status::limited);
  EXPECT_LT(result.states[0].residual, 1e-12);
  EXPECT_LT(result.iterations, options.max_iterations);
}

// Residuals of many rows have a floor above the error of one operation.
TEST_F(Solve, ResidualsLimitedByRoundingEndTheSolution) {
  const DenseOperator matrix(1e7 * diagonally_dominant(1600, 6, 0.1), backend);
  Options options = davidson_options(6);
  options.max_iterations = 2000;
  const auto result = solver::solve({matrix, backend}, options);
  EXPECT_LT(result.iterations, 500);
  for (const auto& state : result.states) {
    EXPECT_EQ(state.status, Status::limited);
    EXPECT_LT(state.residual, result.rounding);
  }
  EXPECT_EQ(result.completeness, Completeness::searched);
}

TEST_F(Solve, HistoryAndCountsAgree) {
  const DenseOperator matrix(diagonally_dominant(400, 6, 0.2), backend);
  const auto result = solver::solve({matrix, backend}, davidson_options(2));
  ASSERT_FALSE(result.history.empty());
  EXPECT_EQ(result.history.back().products, result.products);
  EXPECT_GT(result.search_products, 0);
  EXPECT_LT(result.search_products, result.products);
  double lowest = result.history.front().energies[0];
  for (const auto& iteration : result.history) {  // variational: never rises
    EXPECT_LE(iteration.energies[0], lowest + 1e-12);
    lowest = iteration.energies[0];
  }
}

TEST_F(Solve, RestartsWithPreviousVectorsCostFewProducts) {
  const DenseOperator matrix(diagonally_dominant(1000, 2, 0.1), backend);
  Options options = davidson_options(1);
  options.search = SearchEffort::none;
  options.max_subspace = 200;
  const auto unlimited = solver::solve({matrix, backend}, options);
  EXPECT_EQ(unlimited.restarts, 0);
  options.max_subspace = 0;
  options.per_state = 4;
  const auto bounded = solver::solve({matrix, backend}, options);
  EXPECT_TRUE(bounded.converged());
  EXPECT_LE(bounded.products, unlimited.products + 4);
}

// A squared residual at the tolerance falls now below it, now above, as if the order of its sum
// changed.
class AlternatingSums final : public base::OneProcess {
 public:
  AlternatingSums(double tolerance, bool above) : square_(tolerance * tolerance), above_(above) {}
  void sum(std::span<double> values) const override {
    if (values.size() != 1 || std::abs(values[0] - square_) > 1e-3 * square_) return;
    if (++times > 1000) base::fail(base::ErrorKind::internal, "it does not end");
    above_ = !above_;
    values[0] = square_ * (above_ ? 1 + 1e-9 : 1 - 1e-9);
  }
  mutable int times = 0;

 private:
  double square_;
  mutable bool above_;
};

TEST_F(Solve, EndsWhereAResidualStraddlesTheAccuracy) {
  const DenseOperator matrix(diagonally_dominant(200, 6, 0.2), backend);
  Options options = davidson_options(1);
  options.search = SearchEffort::none;
  const auto steady = solver::solve({matrix, backend}, options);
  int straddled = 0;
  for (const bool above : {false, true})
    for (const auto& iteration : steady.history) {
      options.tolerance = iteration.residuals[0];
      const AlternatingSums wavering(options.tolerance, above);
      const auto result = solver::solve({matrix, backend, wavering}, options);
      EXPECT_TRUE(result.converged()) << "iteration " << iteration.number;
      straddled += wavering.times > 0 ? 1 : 0;
    }
  EXPECT_GT(straddled, 4);
}

TEST_F(Solve, ReportsReplacedOptions) {
  using Kind = solver::PreconditionerKind;
  const Dense a = diagonally_dominant(80, 3, 0.05);
  const DenseOperator known(a, backend);
  const DenseOperator unknown(a, backend, false);
  Options options = davidson_options(1);
  options.max_iterations = 1000;
  const auto note = [&](const DenseOperator& matrix) {
    return solver::solve({matrix, backend}, options).note;
  };
  EXPECT_EQ(note(unknown), "");
  options.preconditioner = Kind::diagonal;
  EXPECT_EQ(note(known), "");
  EXPECT_EQ(note(unknown),
            "no preconditioner is used because the operator does not provide its diagonal");
  options.preconditioner = Kind::model_space;
  EXPECT_EQ(note(known), "");
  options.model_size = 0;
  EXPECT_EQ(note(known),
            "only the diagonal is used as preconditioner because the model space is empty");
  options.preconditioner = Kind::automatic;
  options.start = solver::StartKind::model_space;
  EXPECT_EQ(note(known), "unit vectors are the start vectors because the model space is empty");
  EXPECT_EQ(
      note(unknown),
      "random vectors are the start vectors because the operator does not provide its diagonal");
}

TEST_F(Solve, RefusesInvalidOptions) {
  const DenseOperator matrix(random_symmetric(30, 1), backend);
  const DenseOperator empty(Dense(0, 0), backend);
  const auto fault_of = [&](const DenseOperator& a, Options options) {
    try {
      solver::solve({a, backend}, options);
    } catch (const base::Error& error) {
      return error.kind();
    }
    return base::ErrorKind::internal;
  };
  EXPECT_EQ(fault_of(matrix, {.states = 0}), base::ErrorKind::usage);
  EXPECT_EQ(fault_of(matrix, {.tolerance = 0}), base::ErrorKind::usage);
  EXPECT_EQ(fault_of(matrix, {.tolerance = std::nan("")}), base::ErrorKind::usage);
  EXPECT_EQ(fault_of(matrix, {.max_iterations = -1}), base::ErrorKind::usage);
  EXPECT_EQ(fault_of(empty, {}), base::ErrorKind::bad_input);
}

TEST_F(Solve, RefusesOperatorsThatAreNotNumbersOrNotSymmetric) {
  for (const Method method : {Method::davidson, Method::lanczos, Method::dense}) {
    DenseOperator broken(diagonally_dominant(60, 1), backend);
    broken.matrix()(3, 3) = std::nan("");
    Options options = davidson_options(1);
    options.method = method;
    EXPECT_THROW(solver::solve({broken, backend}, options), base::Error);
  }
  DenseOperator skew(diagonally_dominant(60, 1), backend);
  skew.matrix()(3, 40) += 1;
  EXPECT_THROW(solver::solve({skew, backend}, Options{}), base::Error);
}

TEST_F(Solve, FitsTheSearchSpaceIntoTheBudget) {
  if (!backend.is_host()) GTEST_SKIP() << "the host budget is enough to show it";
  const int n = 2000;
  const Index vector = n * Index{sizeof(double)};
  const auto bounded = base::Backend::openmp(1, {.host_bytes = 20 * vector});
  const DenseOperator matrix(diagonally_dominant(n, 3), bounded);
  Options options = davidson_options(1);
  options.search = SearchEffort::full;
  const auto result = solver::solve({matrix, bounded}, options);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(bounded.memory().peak(), 20 * vector);
  EXPECT_NE(result.note.find("the search space holds "), std::string::npos) << result.note;
  const auto unbounded = base::Backend::openmp(1);
  const DenseOperator same(diagonally_dominant(n, 3), unbounded);
  EXPECT_EQ(solver::solve({same, unbounded}, options).note, "");
  options.states = 9;
  EXPECT_THROW(solver::solve({matrix, bounded}, options), base::Error);
}

// A small dense matrix takes more memory than Davidson's vectors.
TEST_F(Solve, ChoosesTheDenseMethodOnlyIfItFits) {
  if (!backend.is_host()) GTEST_SKIP() << "the host budget is enough to show it";
  const Dense a = diagonally_dominant(400, 3);
  const auto host = base::Backend::openmp(1, {.host_bytes = Index{1} << 20});
  const DenseOperator matrix(a, host);
  Options options;
  const auto found = solver::solve({matrix, host}, options);
  EXPECT_TRUE(found.converged());
  EXPECT_EQ(found.method, Method::davidson);
  EXPECT_NEAR(found.states[0].energy, eigenvalues(a)[0], 1e-10);
  options.method = Method::dense;
  EXPECT_THROW(solver::solve({matrix, host}, options), base::Error);
}

// A model space without known elements takes products with unit vectors.
TEST_F(Solve, ModelSpacesUseFewerUnitVectorsIfMemoryIsShort) {
  if (!backend.is_host()) GTEST_SKIP() << "the host budget is enough to show it";
  const Index vector = 2000 * Index{sizeof(double)};
  const auto bounded = base::Backend::openmp(1, {.host_bytes = 18 * vector});
  const DenseOperator matrix(diagonally_dominant(2000, 3), bounded);
  Options options = davidson_options(1);
  options.preconditioner = solver::PreconditionerKind::model_space;
  options.model_size = 20;
  EXPECT_TRUE(solver::solve({matrix, bounded}, options).converged());
}

// A plan's estimate equals what the solver allocates.
TEST_F(Solve, FitsTheColumnsOfTheLeastBytes) {
  for (const Index rows : {1, 36, 20'000, 3'000'000, 400'000'000})
    for (const Index columns : {2, 3, 11, 40}) {
      const auto bytes = static_cast<Index>(solver::least_bytes_for(columns, true, rows, rows));
      const auto fitting = [&](Index given) {
        const auto host = base::Backend::openmp(1, {.host_bytes = given});
        return solver::columns_that_fit(solver::MemoryForSpace::of(host, rows, rows));
      };
      EXPECT_EQ(fitting(bytes), columns) << rows;
      EXPECT_LT(fitting(bytes - bytes / 1000 - 100), columns) << rows;
    }
}

}  // namespace
}  // namespace cisolve::test

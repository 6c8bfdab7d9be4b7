#include "solver/search/missed_states.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "base/budget.hpp"
#include "solver/methods/solve.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/sanitizers.hpp"

// A search from a random vector must find missed states, and end soon without any.
namespace cisolve::test {
namespace {

using solver::MissedStates;
using solver::SearchRun;
using solver::SearchVerdict;

class MissedStatesTest : public BackendTest {
 protected:
  static std::vector<solver::Columns> columns_from(base::MultiVector& workspace, int first) {
    std::vector<solver::Columns> each;
    for (int j = first; j < workspace.columns(); ++j) each.emplace_back(workspace.block(j, 1));
    return each;
  }

  struct Outcome {
    SearchRun search;
    double quotient = 0;  // Rayleigh quotient of the found direction
  };

  /// Searches below `shift` in the complement of the given eigenvectors of a.
  Outcome search(const Dense& a, const std::vector<int>& known, double shift, std::uint64_t seed,
                 int most = 300) {
    const base::Backend backend = backend_under_test();
    const auto n = static_cast<int>(a.rows());
    const auto states = static_cast<int>(known.size());
    const Eigen::SelfAdjointEigenSolver<Dense> exact(a);
    const DenseOperator matrix(a, backend);
    const solver::Problem problem{matrix, backend};
    const solver::Options options;
    solver::MeteredOperator metered(problem);
    solver::Vectors vectors(backend, problem.communicator, base::Layout::whole(n), states + 1);
    const solver::SolverSetup setup(problem, options, metered, vectors);
    base::MultiVector host(backend.host(), n, states);
    for (int j = 0; j < states; ++j)
      Eigen::VectorXd::Map(host.block().column(j), n) = exact.eigenvectors().col(known[j]);
    base::MultiVector x = host.to(backend);
    base::MultiVector workspace(backend, n, MissedStates::kColumns + 1);
    MissedStates missed(vectors, setup, {shift}, 0.05, x.block(), columns_from(workspace, 1));
    Outcome outcome{missed.run(metered, seed, most, [] { return true; })};
    if (outcome.search.verdict != SearchVerdict::found) return outcome;
    missed.point_to_found(workspace.block(0, 1));
    const auto y = workspace.to(backend.host());
    const Eigen::Map<const Eigen::VectorXd> v(y.block().column(0), n);
    outcome.quotient = v.dot(a * v) / v.squaredNorm();
    return outcome;
  }

  /// Searches a diagonal matrix in which values are equally frequent, with scaling 1.
  static SearchRun run(const std::vector<double>& values, int rows, double shift, int most,
                       bool foresees = false) {
    const base::Backend backend = backend_under_test();
    Eigen::VectorXd diagonal(rows);
    for (int i = 0; i < rows; ++i) diagonal[i] = values[i % values.size()];
    const DenseOperator matrix(diagonal.asDiagonal(), backend, false);
    const solver::Problem problem{matrix, backend};
    const solver::Options options;
    solver::MeteredOperator metered(problem);
    solver::Vectors vectors(backend, problem.communicator, base::Layout::whole(rows), 1);
    const solver::SolverSetup setup(problem, options, metered, vectors);
    base::MultiVector workspace(backend, rows, MissedStates::kColumns);
    MissedStates missed(vectors, setup, {shift}, 1, workspace.block(0, 0),
                        columns_from(workspace, 0));
    return missed.run(
        metered, 1, most, [] { return true; }, foresees);
  }

  static Dense with_a_hidden_block(int seed) {
    Dense hidden = Dense::Constant(40, 40, -0.3) + diagonally_dominant(40, seed + 100, 0.01);
    hidden.diagonal().array() += 4;
    return block_diagonal(diagonally_dominant(160, seed, 0.02), hidden);
  }
};

TEST_F(MissedStatesTest, FindsAnyMissedState) {
  for (int seed = 1; seed <= 10; ++seed) {
    const Dense a = with_a_hidden_block(seed);
    const auto values = eigenvalues(a);
    for (int left_out = 0; left_out < 3; ++left_out) {
      std::vector<int> known;
      for (int j = 0; j < 4; ++j)
        if (j != left_out) known.push_back(j);
      const Outcome outcome = search(a, known, values[3] - 1e-9, seed);
      EXPECT_EQ(outcome.search.verdict, SearchVerdict::found) << seed << ", " << left_out;
      EXPECT_LT(outcome.quotient, values[3]);
    }
  }
}

TEST_F(MissedStatesTest, ExcludesMissedStatesIfThereAreNone) {
  for (int seed = 1; seed <= 10; ++seed) {
    const Dense a = with_a_hidden_block(seed);
    const auto values = eigenvalues(a);
    const Outcome outcome = search(a, {0, 1, 2, 3}, values[3] - 1e-9, seed);
    EXPECT_EQ(outcome.search.verdict, SearchVerdict::excluded) << seed;
    EXPECT_GT(outcome.search.lowest, 0);
  }
}

TEST_F(MissedStatesTest, EndsSoonIfTheDiagonalDominates) {
  const Dense a = diagonally_dominant(unless_sanitized(1000, 400), 3, 0.05);
  const auto values = eigenvalues(a);
  const Outcome outcome = search(a, {0, 1}, values[1] - 1e-9, 1);
  EXPECT_EQ(outcome.search.verdict, SearchVerdict::excluded);
  EXPECT_LE(outcome.search.steps, 60);
}

TEST_F(MissedStatesTest, ADegeneratePartnerAboveIsNotMissed) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(80, 0, 9);
  values[3] = values[2];
  const Dense a = with_eigenvalues(values, 5);
  EXPECT_EQ(search(a, {0, 1, 2}, values[2] - 1e-9, 1).search.verdict, SearchVerdict::excluded);
  EXPECT_EQ(search(a, {0, 1, 2}, values[2] + 1e-9, 1).search.verdict, SearchVerdict::found);
}

TEST_F(MissedStatesTest, ReportsThatItReachedItsLimitOfSteps) {
  const Dense a = with_a_hidden_block(1);
  const Outcome outcome = search(a, {0, 1}, eigenvalues(a)[1] - 1e-9, 1, 2);
  EXPECT_EQ(outcome.search.verdict, SearchVerdict::undecided);
  EXPECT_EQ(outcome.search.steps, 2);
}

TEST_F(MissedStatesTest, WithoutAStepDecidesNothing) {
  const Outcome outcome = search(diagonally_dominant(40, 1), {0}, 0.5, 1, 0);
  EXPECT_EQ(outcome.search.verdict, SearchVerdict::undecided);
  EXPECT_EQ(outcome.search.steps, 0);
  EXPECT_EQ(outcome.search.miss_probability, 1);
}

TEST_F(MissedStatesTest, PredictsThatItsLimitWillNotSuffice) {
  std::vector<double> values;
  for (int j = 0; j < 400; ++j) values.push_back(0.025 * (j + 1));
  const double near = values[0] - 1e-5;
  EXPECT_EQ(run(values, 400, near, 100).verdict, SearchVerdict::undecided);
  const SearchRun far = run(values, 400, near, 100, true);
  EXPECT_EQ(far.verdict, SearchVerdict::far);
  EXPECT_LT(far.steps, 100);
  EXPECT_GE(far.steps, 25);
  for (const double enough : {-0.05, -0.2, -1.0}) {
    const SearchRun whole = run(values, 400, enough, 400);
    ASSERT_EQ(whole.verdict, SearchVerdict::excluded) << enough;
    EXPECT_EQ(run(values, 400, enough, whole.steps, true).verdict, SearchVerdict::excluded)
        << enough;
  }
}

// With n values of equal weight and n - 1 steps, sum_i p_i(0)^2 is n sum_k l_k(0)^2, where l_k is
// the polynomial of degree n - 1 that is one at the k-th value and zero at the others.
TEST_F(MissedStatesTest, TheMissProbabilityEqualsThatOfASmallRandomComponent) {
  const auto miss_probability = [](const std::vector<double>& values, int rows) {
    double sum = 0;
    for (const double here : values) {
      double at_zero = 1;
      for (const double other : values)
        if (other != here) at_zero *= -other / (here - other);
      sum += at_zero * at_zero;
    }
    const double least = 1 / std::sqrt(static_cast<double>(values.size()) * sum);
    return least * std::sqrt(2 * rows / std::numbers::pi);
  };
  for (const int rows : {60, 1200})
    for (const std::vector<double>& values :
         {std::vector<double>{1, 1.002}, {1, 1.1, 1.2}, {1, 1.2, 1.4, 1.6}}) {
      const SearchRun found = run(values, rows, 0, static_cast<int>(values.size()) - 1);
      EXPECT_EQ(found.verdict, SearchVerdict::undecided);
      EXPECT_NEAR(found.miss_probability / miss_probability(values, rows), 1, 3 / std::sqrt(rows))
          << rows << " rows, " << values.size() << " values";
    }
}

// If the lowest Ritz value equals the shift up to rounding, a pivot nearly vanishes, and later ones
// may all be positive. The eigenvalue 0 lies below nevertheless.
TEST_F(MissedStatesTest, ASlightlyNegativePivotCounts) {
  std::vector<double> values{0};
  for (int j = 0; j < 99; ++j) values.push_back(1 + 0.1 * j);
  int unnoticed = 0;
  for (int steps = 2; steps <= 9; ++steps) {
    const SearchRun first = run(values, 100, -1, steps);
    ASSERT_EQ(first.verdict, SearchVerdict::undecided);
    const SearchRun again = run(values, 100, -1 + first.lowest + 2e-14, 100);
    EXPECT_NE(again.verdict, SearchVerdict::excluded) << steps << " steps";
    unnoticed += again.steps > steps ? 1 : 0;
  }
  EXPECT_GT(unnoticed, 0);
}

TEST_F(MissedStatesTest, NothingIsMissedIfAllStatesAreKnown) {
  const Dense a = random_symmetric(4, 1);
  EXPECT_EQ(search(a, {0, 1, 2, 3}, 10, 1).search.verdict, SearchVerdict::excluded);
}

/// Takes all memory that a solution has left.
class MemoryTakingObserver final : public solver::Observer {
 public:
  explicit MemoryTakingObserver(const base::Backend& backend) : backend_(backend) {}
  bool report(const solver::Progress& progress) override {
    if (!rest_ && progress.iteration > 0)
      rest_.emplace(backend_.memory(), backend_.memory().left(), "the rest");
    return true;
  }

 private:
  base::Backend backend_;
  std::optional<base::Reservation> rest_;
};

/// A search uses six columns, and one for the state.
TEST_F(MissedStatesTest, ASmallBasisWithItsImagesLeavesColumnsForASearch) {
  const base::Backend backend = backend_under_test();
  const Dense a = with_a_hidden_block(5);
  const DenseOperator matrix(a, backend);
  solver::Options options;
  options.method = solver::Method::davidson;
  options.search = solver::SearchEffort::full;
  options.tolerance = 1e-6;
  options.max_subspace = 5;
  MemoryTakingObserver observer(backend);
  const solver::Result result = solver::solve({matrix, backend}, options, &observer);
  ASSERT_TRUE(result.converged());
  EXPECT_EQ(result.search, solver::SearchEnd::excluded);
  EXPECT_NEAR(result.states[0].energy, eigenvalues(a).front(), 1e-10);
  EXPECT_GT(result.search_products, 0);
}

}  // namespace
}  // namespace cisolve::test

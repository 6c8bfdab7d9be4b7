#include "solver/methods/missed_states.hpp"

#include <cmath>

#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/sanitizers.hpp"

// A search from a random vector must find what is there, and must end soon where nothing is.
namespace cisolve::test {
namespace {

using solver::MissedStates;
using solver::Search;
using solver::SmallMatrix;
using solver::Verdict;

class MissedStatesTest : public BackendTest {
 protected:
  struct Outcome {
    Search search;
    double quotient = 0;  // of the vector that it points to
  };

  /// Searches below `shift` beside the given eigenvectors of a.
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
    solver::Vectors vectors(backend, problem.reduction, n, states + 1);
    const solver::Preparation preparation(problem, options, metered, vectors);
    base::MultiVector host(backend.host(), n, states);
    SmallMatrix ones(states, states);
    for (int j = 0; j < states; ++j) {
      Eigen::VectorXd::Map(host.block().column(j), n) = exact.eigenvectors().col(known[j]);
      ones(j, j) = 1;
    }
    const base::MultiVector x = host.to(backend);
    base::MultiVector room(backend, n, MissedStates::columns_for(states) + 1);
    MissedStates missed(metered, vectors, preparation, x.block(), ones, shift, 0.05,
                        room.block(1, room.columns() - 1));
    Outcome outcome{missed.run(seed, most, [] { return true; })};
    if (outcome.search.verdict != Verdict::found) return outcome;
    missed.point_to_found(room.block(0, 1));
    const auto y = room.to(backend.host());
    const Eigen::Map<const Eigen::VectorXd> v(y.block().column(0), n);
    outcome.quotient = v.dot(a * v) / v.squaredNorm();
    return outcome;
  }

  static Dense with_a_hidden_block(int seed) {
    Dense hidden = Dense::Constant(40, 40, -0.3) + diagonally_dominant(40, seed + 100, 0.01);
    hidden.diagonal().array() += 4;
    return block_diagonal(diagonally_dominant(160, seed, 0.02), hidden);
  }
};

TEST_F(MissedStatesTest, FindsAnyStateThatIsLeftOut) {
  for (int seed = 1; seed <= 10; ++seed) {
    const Dense a = with_a_hidden_block(seed);
    const auto values = eigenvalues(a);
    for (int left_out = 0; left_out < 3; ++left_out) {
      std::vector<int> known;
      for (int j = 0; j < 4; ++j)
        if (j != left_out) known.push_back(j);
      const Outcome outcome = search(a, known, values[3] - 1e-9, seed);
      EXPECT_EQ(outcome.search.verdict, Verdict::found) << seed << ", " << left_out;
      EXPECT_LT(outcome.quotient, values[3]);
    }
  }
}

TEST_F(MissedStatesTest, ExcludesWhatIsNotThere) {
  for (int seed = 1; seed <= 10; ++seed) {
    const Dense a = with_a_hidden_block(seed);
    const auto values = eigenvalues(a);
    const Outcome outcome = search(a, {0, 1, 2, 3}, values[3] - 1e-9, seed);
    EXPECT_EQ(outcome.search.verdict, Verdict::excluded) << seed;
    EXPECT_GT(outcome.search.lowest, 0);
  }
}

TEST_F(MissedStatesTest, EndsSoonWhereTheDiagonalDominates) {
  const Dense a = diagonally_dominant(unless_sanitized(1000, 400), 3, 0.05);
  const auto values = eigenvalues(a);
  const Outcome outcome = search(a, {0, 1}, values[1] - 1e-9, 1);
  EXPECT_EQ(outcome.search.verdict, Verdict::excluded);
  EXPECT_LE(outcome.search.steps, 60);
}

TEST_F(MissedStatesTest, ADegeneratePartnerAboveIsNotOneThatWasMissed) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(80, 0, 9);
  values[3] = values[2];
  const Dense a = with_eigenvalues(values, 5);
  EXPECT_EQ(search(a, {0, 1, 2}, values[2] - 1e-9, 1).search.verdict, Verdict::excluded);
  EXPECT_EQ(search(a, {0, 1, 2}, values[2] + 1e-9, 1).search.verdict, Verdict::found);
}

TEST_F(MissedStatesTest, SaysWhenItsLimitOfStepsCameFirst) {
  const Dense a = with_a_hidden_block(1);
  const Outcome outcome = search(a, {0, 1}, eigenvalues(a)[1] - 1e-9, 1, 2);
  EXPECT_EQ(outcome.search.verdict, Verdict::undecided);
  EXPECT_EQ(outcome.search.steps, 2);
}

TEST_F(MissedStatesTest, NothingIsLeftBesideAllStates) {
  const Dense a = random_symmetric(4, 1);
  EXPECT_EQ(search(a, {0, 1, 2, 3}, 10, 1).search.verdict, Verdict::excluded);
}

}  // namespace
}  // namespace cisolve::test

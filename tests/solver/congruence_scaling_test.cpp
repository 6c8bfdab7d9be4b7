#include "solver/search/congruence_scaling.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "solver/search/missed_states.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

namespace cisolve::test {
namespace {

using solver::CongruenceScaling;
using solver::SearchRegion;
using solver::SearchVerdict;

constexpr double kWeightFloor = 0.05;
constexpr double kLift = 0.02 * kWeightFloor;

class CongruenceScalingTest : public BackendTest {
 protected:
  /// W^-1 and W^-T as matrices.
  struct Inverses {
    Dense plain;
    Dense transposed;
    double least = 0;
  };

  /// A matrix and its lowest eigenvectors, set up for a search in their complement.
  struct Ready {
    Ready(const Dense& a, int known, bool knows_elements)
        : rows(static_cast<int>(a.rows())),
          matrix(a, backend),
          elements(a),
          problem{.matrix = matrix,
                  .backend = backend,
                  .model_block = knows_elements ? &elements : nullptr},
          metered(problem),
          vectors(backend, problem.communicator, base::Layout::whole(rows), rows),
          setup(problem, options, metered, vectors),
          x(on_backend(lowest_vectors(a, known), backend)) {}

    base::Backend backend = backend_under_test();
    int rows;
    DenseOperator matrix;
    ElementsOf elements;
    solver::Problem problem;
    solver::Options options;
    solver::MeteredOperator metered;
    solver::Vectors vectors;
    solver::SolverSetup setup;
    base::MultiVector x;
  };

  static Inverses inverses(const Dense& a, SearchRegion region, int known, bool knows_elements) {
    Ready at(a, known, knows_elements);
    const int n = at.rows;
    base::MultiVector roots(at.backend, n, 1);
    const CongruenceScaling weights(at.vectors, at.setup, region, kWeightFloor, at.x.block(),
                                    roots.block());
    const auto matrix_of = [&](void (CongruenceScaling::*divide)(solver::Columns) const) {
      base::MultiVector y = on_backend(Dense::Identity(n, n), at.backend);
      (weights.*divide)(y.block());
      const auto host = y.to(at.backend.host());
      Dense made(n, n);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) made(i, j) = host(i, j);
      return made;
    };
    return {matrix_of(&CongruenceScaling::divide), matrix_of(&CongruenceScaling::divide_transposed),
            weights.least()};
  }

  static Dense lowest_vectors(const Dense& a, int count) {
    return Eigen::SelfAdjointEigenSolver<Dense>(a).eigenvectors().leftCols(count);
  }

  static Dense distances(const Dense& a, double energy) {
    return (a.diagonal().array() - energy).abs().max(kWeightFloor).matrix().asDiagonal();
  }

  /// Rows of the lowest diagonal elements, of 200.
  static std::vector<int> low_rows(const Dense& a) {
    std::vector<int> rows(a.rows());
    std::iota(rows.begin(), rows.end(), 0);
    std::ranges::sort(rows, {}, [&](int row) { return a(row, row); });
    rows.resize(40);
    return rows;
  }

  /// Strongly coupled low rows, as of a Hamiltonian.
  static Dense coupled(int seed) {
    Dense a = diagonally_dominant(200, seed, 0.05);
    a.topLeftCorner(30, 30) += 0.3 * random_symmetric(30, seed + 50);
    return a;
  }

  /// Result of a search below the highest known state.
  static solver::SearchRun search(const Dense& a, int known, bool knows_elements, double shift) {
    Ready at(a, known, knows_elements);
    base::MultiVector workspace(at.backend, at.rows, solver::MissedStates::kColumns);
    std::vector<solver::Columns> columns;
    for (int j = 0; j < workspace.columns(); ++j) columns.emplace_back(workspace.block(j, 1));
    solver::MissedStates missed(at.vectors, at.setup, {shift}, kWeightFloor, at.x.block(), columns);
    return missed.run(at.metered, 1, 300, [] { return true; });
  }
};

TEST_F(CongruenceScalingTest, IsTheBlockOnLowRowsAndDistancesElsewhere) {
  const Dense a = coupled(1);
  const double energy = eigenvalues(a)[0] + 1e-9;
  const Inverses found = inverses(a, {energy}, 0, true);
  EXPECT_LT((found.plain.transpose() - found.transposed).norm(), 1e-13);
  Dense expected = distances(a, energy);
  const std::vector<int> rows = low_rows(a);
  for (const int i : rows)
    for (const int j : rows) expected(i, j) = a(i, j) + (i == j ? kLift - energy : 0);
  const Dense square = (found.transposed * found.plain).inverse();
  EXPECT_LT((square - expected).norm(), 1e-10);
  EXPECT_NEAR(found.least, std::min(kWeightFloor, eigenvalues(expected)[0]), 0.2 * found.least);
}

TEST_F(CongruenceScalingTest, IsDistancesIfElementsAreUnknownOrNearAnEnergy) {
  const Dense a = coupled(2);
  const double energy = eigenvalues(a)[3];
  const Dense plain = distances(a, energy);
  const Inverses unknown = inverses(a, {energy}, 1, false);
  EXPECT_LT((unknown.plain * plain.cwiseSqrt() - Dense::Identity(200, 200)).norm(), 1e-12);
  EXPECT_EQ(unknown.least, kWeightFloor);
  const Inverses around = inverses(a, {energy, 0.5}, 1, true);
  EXPECT_LT((around.plain * plain - Dense::Identity(200, 200)).norm(), 1e-12);
  EXPECT_LT((around.transposed * plain - Dense::Identity(200, 200)).norm(), 1e-12);
}

TEST_F(CongruenceScalingTest, HasABlockThatFitsTheHost) {
  constexpr Index kRows = 1'000'000;
  const base::Backend roomy = base::Backend::openmp(1, {.host_bytes = Index{1} << 30});
  const int size = solver::scaling_block_rows(roomy, kRows);
  EXPECT_GT(size, solver::scaling_block_rows(roomy, kRows / 100));
  const Index blocks = Index{3} * size * size * Index{sizeof(double)};
  const auto within = [&](Index bytes) {
    return solver::scaling_block_rows(base::Backend::openmp(1, {.host_bytes = bytes}), kRows);
  };
  EXPECT_EQ(within(blocks), size);
  EXPECT_EQ(within(blocks - 1), 0);
}

/// Known states below the energy do not make the block indefinite; unknown ones do.
TEST_F(CongruenceScalingTest, HasABlockInAdditionToKnownStates) {
  Dense a = coupled(3);
  a(0, 0) -= 20;
  const double energy = eigenvalues(a)[4] + 1e-9;
  const Dense plain = distances(a, energy).cwiseSqrt();
  const auto is_plain = [&](int known) {
    return (inverses(a, {energy}, known, true).plain * plain - Dense::Identity(200, 200)).norm() <
           1e-12;
  };
  EXPECT_TRUE(is_plain(0));
  EXPECT_FALSE(is_plain(5));
}

TEST_F(CongruenceScalingTest, WithTheBlockASearchTakesFewerStepsAndFindsTheSame) {
  for (int seed = 1; seed <= 5; ++seed) {
    const Dense a = coupled(seed);
    const std::vector<double> values = eigenvalues(a);
    for (const int known : {1, 3}) {
      const double shift = values[known - 1] + 1e-9;
      const solver::SearchRun plain = search(a, known, false, shift);
      const solver::SearchRun with_block = search(a, known, true, shift);
      EXPECT_EQ(plain.verdict, SearchVerdict::excluded) << seed << ", " << known;
      EXPECT_EQ(with_block.verdict, SearchVerdict::excluded) << seed << ", " << known;
      EXPECT_LE(10 * with_block.steps, 9 * plain.steps) << seed << ", " << known;
      EXPECT_LE(with_block.above, values[known] - shift) << seed << ", " << known;
      EXPECT_EQ(search(a, known - 1, true, shift).verdict, SearchVerdict::found)
          << seed << ", " << known;
    }
  }
}

}  // namespace
}  // namespace cisolve::test

#include "solver/search/known_upper_space.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <utility>

#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

// Vectors excluded from a search must not hide a state, converged or not.
namespace cisolve::test {
namespace {

using solver::KnownUpperSpace;

constexpr double kLeast = 1e-6;

class KnownUpperSpaceTest : public BackendTest {
 protected:
  static constexpr int kRows = 60;

  static Dense matrix_of(int seed) {
    return with_eigenvalues(Eigen::VectorXd::LinSpaced(kRows, 0, 30), seed);
  }

  /// Ritz pairs of a Krylov space, from the second on: low ones are near states.
  solver::LanczosRemainder rest_of(const Dense& a, int steps, std::uint64_t seed) const {
    Dense q = random_orthogonal(kRows, seed).leftCols(steps + 1);
    Dense t = Dense::Zero(steps, steps);
    double coupling = 0;
    for (int j = 0; j < steps; ++j) {
      Eigen::VectorXd w = a * q.col(j);
      t.col(j) = q.leftCols(steps).transpose() * w;
      for (int pass = 0; pass < 2; ++pass)
        w -= q.leftCols(j + 1) * (q.leftCols(j + 1).transpose() * w);
      coupling = w.norm();
      q.col(j + 1) = w / coupling;
      t.col(j).tail(steps - 1 - j).setZero();
      if (j + 1 < steps) t(j + 1, j) = coupling;
    }
    const Eigen::SelfAdjointEigenSolver<Dense> ritz(t);
    Dense v(kRows, steps);
    v << q.leftCols(steps) * ritz.eigenvectors().rightCols(steps - 1), q.col(steps);
    solver::LanczosRemainder rest{on_backend(v, backend)};
    for (int j = 1; j < steps; ++j) {
      rest.values.push_back(ritz.eigenvalues()[j]);
      rest.couplings.push_back(coupling * ritz.eigenvectors()(steps - 1, j));
    }
    return rest;
  }

  /// A solution of one state with a task and an empty basis.
  struct Prepared {
    Prepared(const Dense& a, const base::Backend& backend, const solver::LanczosRemainder* rest)
        : operation(a, backend),
          problem{operation, backend},
          matrix(problem),
          vectors(backend, solver::kOneProcess, base::Layout::whole(kRows), kRows),
          options(davidson_options(1)),
          setup(problem, options, matrix, vectors),
          task{matrix, vectors, setup, options, sizes, nullptr, 0, nullptr, rest},
          basis(matrix, vectors, {.capacity = sizes.capacity}) {}

    DenseOperator operation;
    solver::Problem problem;
    solver::MeteredOperator matrix;
    solver::Vectors vectors;
    solver::Options options;
    solver::SolverSetup setup;
    solver::Sizes sizes{.states = 1, .guards = 0, .width = 1, .capacity = 30, .kept = 5};
    solver::Task task;
    solver::RitzBasis basis;
  };

  struct Bounds {
    int known = 0;
    int negative = 0;    // eigenvalues below the shift in the complement of roots and known vectors
    double lowest = 0;   // lowest value in that complement
    double without = 0;  // lowest in the complement of the roots alone
  };

  /// The roots are eigenvectors; the basis holds `more` random vectors in addition.
  Bounds look(const Dense& a, const std::vector<int>& roots, int more, double shift,
              const solver::LanczosRemainder* rest) {
    Prepared at(a, backend, rest);
    const auto count = static_cast<int>(std::ssize(roots));
    const Eigen::SelfAdjointEigenSolver<Dense> exact(a);
    Dense start(kRows, count + more);
    for (int j = 0; j < count; ++j) start.col(j) = exact.eigenvectors().col(roots[j]);
    start.rightCols(more) = random_symmetric(kRows, 7).leftCols(more);
    at.vectors.copy(on_backend(start, backend), at.basis.space().free_basis(count + more));
    EXPECT_EQ(at.basis.space().append(count + more), count + more);
    at.basis.update();
    const KnownUpperSpace above(at.task, at.task.rest, at.basis, count, shift, kLeast);
    base::MultiVector images(backend, kRows, std::max(above.count(), 1));
    above.fill_images(solver::columns_of(images, 0, above.count()));
    const base::MultiVector host = images.to(backend.host());
    Dense deflated(kRows, count + above.count());
    deflated.leftCols(count) = start.leftCols(count);
    for (int j = 0; j < above.count(); ++j)
      deflated.col(count + j) = Eigen::VectorXd::Map(host.block().column(j), kRows);
    const auto off_diagonal_values = [&](const Dense& y) {
      const Dense q = Eigen::HouseholderQR<Dense>(y).householderQ();
      const Dense left = q.rightCols(kRows - y.cols());
      return Eigen::VectorXd(
          Eigen::SelfAdjointEigenSolver<Dense>(left.transpose() * a * left).eigenvalues().array() -
          shift);
    };
    const Eigen::VectorXd left = off_diagonal_values(deflated);
    return {above.count(), static_cast<int>((left.array() < 0).count()), left[0],
            off_diagonal_values(deflated.leftCols(count))[0]};
  }

  base::Backend backend = backend_under_test();
};

TEST_F(KnownUpperSpaceTest, HidesNoStateAndShiftsTheRest) {
  const solver::LanczosRemainder* const none = nullptr;
  for (int seed = 1; seed <= 5; ++seed) {
    const Dense a = matrix_of(seed);
    const double shift = eigenvalues(a)[3] + 0.1;
    const solver::LanczosRemainder few = rest_of(a, 14, seed + 50);
    const solver::LanczosRemainder many = rest_of(a, 30, seed + 50);
    for (const solver::LanczosRemainder* rest : {&few, &many, none}) {
      const int more = rest == none ? 12 : 0;
      const Bounds all = look(a, {0, 1, 2, 3}, more, shift, rest);
      EXPECT_GT(all.known, 5) << seed;
      EXPECT_EQ(all.negative, 0) << seed;
      EXPECT_GT(all.lowest, all.without) << seed;
      for (const std::vector<int>& roots : {std::vector<int>{1, 2, 3}, {0, 2, 3}, {0, 1, 3}})
        EXPECT_EQ(look(a, roots, more, shift, rest).negative, 1) << seed;
    }
  }
}

TEST_F(KnownUpperSpaceTest, HasTheImagesOfTheRitzVectorsAbove) {
  const Dense a = matrix_of(1);
  constexpr int kVectors = 6;
  Prepared at(a, backend, nullptr);
  const Dense start = random_symmetric(kRows, 7).leftCols(kVectors);
  at.vectors.copy(on_backend(start, backend), at.basis.space().free_basis(kVectors));
  EXPECT_EQ(at.basis.space().append(kVectors), kVectors);
  at.basis.update();
  const std::vector<double> values = at.basis.values();
  const double shift = (values[1] + values[2]) / 2;
  KnownUpperSpace above(at.task, at.task.rest, at.basis, 0, shift, kLeast);
  ASSERT_EQ(above.count(), kVectors - 2);
  EXPECT_EQ(above.near(shift + 1.01 * (values[3] - shift) / KnownUpperSpace::kNearShare), 2);
  EXPECT_EQ(above.near(shift), 0);
  base::MultiVector v(backend, kRows, kVectors - 2);
  at.vectors.update(1, std::as_const(at.basis.space()).basis(), at.basis.coefficients({2, 3, 4, 5}),
                    0, v);
  base::MultiVector images(backend, kRows, kVectors - 2);
  above.fill_images(images);
  const base::MultiVector x = v.to(backend.host());
  const base::MultiVector y = images.to(backend.host());
  for (int j = 0; j < x.columns(); ++j) {
    const Eigen::VectorXd ritz = Eigen::VectorXd::Map(x.block().column(j), kRows);
    const Eigen::VectorXd image = Eigen::VectorXd::Map(y.block().column(j), kRows);
    EXPECT_LT((a * ritz - shift * ritz - image).norm(), 1e-11) << j;
  }
}

TEST_F(KnownUpperSpaceTest, HasTheImagesOfTheLanczosRemainder) {
  const Dense a = matrix_of(1);
  const solver::LanczosRemainder rest = rest_of(a, 14, 51);
  Prepared at(a, backend, &rest);
  const double shift = rest.values[1] + kLeast / 2;  // two are below
  const KnownUpperSpace above(at.task, at.task.rest, at.basis, 0, shift, kLeast);
  ASSERT_EQ(above.count(), 11);
  base::MultiVector images(backend, kRows, above.count());
  above.fill_images(images);
  const base::MultiVector host = images.to(backend.host());
  const base::MultiVector all = rest.vectors.to(backend.host());
  for (int j = 0; j < above.count(); ++j) {
    const Eigen::VectorXd v = Eigen::VectorXd::Map(all.block().column(j + 2), kRows);
    const Eigen::VectorXd image = Eigen::VectorXd::Map(host.block().column(j), kRows);
    EXPECT_LT((a * v - shift * v - image).norm(), 1e-11) << j;
  }
}

TEST_F(KnownUpperSpaceTest, IsEmptyForABasisOfTheRootsAlone) {
  const Dense a = matrix_of(1);
  const Bounds seen = look(a, {0, 1, 2, 3}, 0, eigenvalues(a)[3] + 0.1, nullptr);
  EXPECT_EQ(seen.known, 0);
  EXPECT_EQ(seen.negative, 0);
}

}  // namespace
}  // namespace cisolve::test

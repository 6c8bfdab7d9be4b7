#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "base/symmetry_projector.hpp"
#include "solver/methods/solve.hpp"
#include "solver/vectors/metered_operator.hpp"
#include "solver/vectors/vectors.hpp"
#include "tests/solver/matrices.hpp"

// Operators with cheaper products for vectors of one symmetry.
namespace cisolve::test {
namespace {

using solver::Method;
using solver::Options;
using solver::SearchEffort;

/// A matrix invariant under exchange of the halves of its rows. Counts vectors of mixed symmetry.
class ExchangeSymmetricMatrix : public DenseOperator {
 public:
  ExchangeSymmetricMatrix(Index half, base::Backend backend)
      : DenseOperator(matrix_of(half), std::move(backend)) {}
  ExchangeSymmetricMatrix(const Dense& own, const Dense& other, base::Backend backend)
      : DenseOperator(joined(own, other), std::move(backend)) {}

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) mixed += smaller_part(x, j) == 0 ? 0 : 1;
    DenseOperator::apply(x, y);
  }

  mutable int mixed = 0;

 protected:
  /// Ratio of the smaller to the larger component; negative if the larger one is odd.
  static double smaller_part(base::ConstBlock x, int j) {
    double even = 0;
    double odd = 0;
    for (Index i = 0; i < x.rows / 2; ++i) {
      even += std::pow(x(i, j) + x(i + x.rows / 2, j), 2);
      odd += std::pow(x(i, j) - x(i + x.rows / 2, j), 2);
    }
    return even >= odd ? std::sqrt(odd / even) : -std::sqrt(even / odd);
  }

 private:
  static Dense matrix_of(Index half) {
    const Dense own = diagonally_dominant(static_cast<int>(half), 1);
    const Dense other = 0.1 * random_symmetric(static_cast<int>(half), 2);
    return joined(own, other);
  }
  static Dense joined(const Dense& own, const Dense& other) {
    Dense a(2 * own.rows(), 2 * own.rows());
    a << own, other, other, own;
    return a;
  }
};

/// ExchangeSymmetricMatrix with a projector. Counts its calls.
class WithProjector final : public ExchangeSymmetricMatrix, public base::SymmetryProjector {
 public:
  using ExchangeSymmetricMatrix::ExchangeSymmetricMatrix;

  double project_symmetry(double max_fraction, base::Block x) const override {
    ++projections;
    double taken = 0;
    for (int j = 0; j < x.columns; ++j) taken = std::max(taken, std::abs(smaller_part(x, j)));
    if (taken > max_fraction) return 0;
    for (int j = 0; j < x.columns; ++j) {
      const double sign = std::signbit(smaller_part(x, j)) ? -1 : 1;
      for (Index i = 0; i < x.rows / 2; ++i) {
        x(i, j) = (x(i, j) + sign * x(i + x.rows / 2, j)) / 2;
        x(i + x.rows / 2, j) = sign * x(i, j);
      }
    }
    return taken;
  }

  mutable int projections = 0;
};

/// ExchangeSymmetricMatrix with a projector that removes nothing.
class WithIdleProjector final : public ExchangeSymmetricMatrix, public base::SymmetryProjector {
 public:
  using ExchangeSymmetricMatrix::ExchangeSymmetricMatrix;
  double project_symmetry(double /*max_fraction*/, base::Block /*x*/) const override { return 0; }
};

/// Solves with the elements of a model space of options.model_size rows.
solver::Result solved_from_model(const ExchangeSymmetricMatrix& matrix, const Options& options) {
  const ElementsOf elements(matrix.matrix());
  solver::Problem problem{matrix, base::Backend::openmp()};
  problem.model_block = &elements;
  return solver::solve(problem, options);
}

/// Three states by Davidson with a model space that contains only one of two exchanged rows.
Options three_states() {
  Options options;
  options.method = Method::davidson;
  options.search = SearchEffort::none;
  options.states = 3;
  options.max_subspace = 12;
  options.model_size = 61;
  return options;
}

TEST(Symmetries, AProjectorIsFoundWhereAnOperatorHasOne) {
  const base::Backend host = base::Backend::openmp();
  const ExchangeSymmetricMatrix plain(3, host);
  const WithProjector matrix(3, host);
  EXPECT_EQ(base::SymmetryProjector::of(plain), nullptr);
  EXPECT_EQ(base::SymmetryProjector::of(matrix), &matrix);
}

TEST(Symmetries, AMeteredOperatorProjectsByTheProjectorAlone) {
  const base::Backend host = base::Backend::openmp();
  base::MultiVector x(host, 6, 1);
  const auto fill = [&] {
    for (Index i = 0; i < 6; ++i) x(i, 0) = i == 0 ? 1.25 : 1;
  };
  const auto project = [&](const ExchangeSymmetricMatrix& a, double max_fraction) {
    fill();
    const solver::MeteredOperator metered({a, host});
    return metered.project_symmetry(max_fraction, solver::columns_of(x, 0, 1));
  };
  EXPECT_EQ(project(ExchangeSymmetricMatrix(3, host), 1), 0);
  EXPECT_EQ(x(0, 0), 1.25);
  const WithProjector matrix(3, host);
  EXPECT_EQ(project(matrix, 1e-3), 0);
  EXPECT_EQ(x(0, 0), 1.25);
  EXPECT_GT(project(matrix, 0.5), 0);
  EXPECT_EQ(x(0, 0), 1.125);
  EXPECT_EQ(x(3, 0), 1.125);
  EXPECT_EQ(matrix.projections, 2);
}

TEST(Symmetries, AnOperatorWithoutAProjectorIsSolvedAsByOneThatRemovesNothing) {
  const base::Backend host = base::Backend::openmp();
  const ExchangeSymmetricMatrix plain(300, host);
  const WithIdleProjector idle(300, host);
  const auto found = solved_from_model(plain, three_states());
  const auto expected = solved_from_model(idle, three_states());
  EXPECT_GT(plain.mixed, 0);
  EXPECT_EQ(found.products, expected.products);
  EXPECT_EQ(found.iterations, expected.iterations);
  const auto exact = eigenvalues(plain.matrix());
  for (int j = 0; j < 3; ++j) {
    EXPECT_EQ(found.states[j].energy, expected.states[j].energy);
    EXPECT_NEAR(found.states[j].energy, exact[j], 1e-10);
    for (Index i = 0; i < plain.rows(); ++i)
      ASSERT_EQ(found.vectors(i, j), expected.vectors(i, j)) << i << ", " << j;
  }
}

TEST(Symmetries, DavidsonKeepsTheSymmetryThatMakesProductsFast) {
  const base::Backend host = base::Backend::openmp();
  const WithProjector matrix(300, host);
  const auto found = solved_from_model(matrix, three_states());
  EXPECT_GT(found.restarts, 1);
  EXPECT_GT(matrix.projections, found.iterations);
  EXPECT_EQ(matrix.mixed, 0);
  const auto exact = eigenvalues(matrix.matrix());
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(found.states[j].energy, exact[j], 1e-10);
}

/// A model space without the partner of its lowest row gives a start vector that is half even, half
/// odd.
TEST(Symmetries, AMixedStartIsProjected) {
  constexpr int kHalf = 200;
  const base::Backend host = base::Backend::openmp();
  const Dense own = diagonally_dominant(kHalf, 1);
  Dense other = 0.01 * random_symmetric(kHalf, 2);
  for (const int states : {1, 2}) {
    const WithProjector matrix(own, other, host);
    Options options;
    options.method = Method::davidson;
    options.search = SearchEffort::none;
    options.states = states;
    options.model_size = 3;  // rows of two exchanged pairs
    const auto found = solved_from_model(matrix, options);
    EXPECT_EQ(matrix.mixed, 0) << states;
    const auto exact = eigenvalues(matrix.matrix());
    for (int j = 0; j < states; ++j) EXPECT_NEAR(found.states[j].energy, exact[j], 1e-10);
  }
}

/// Without a free column for both components, neither is lost.
TEST(Symmetries, AMixedStartIsKeptIfMemoryIsShort) {
  constexpr int kHalf = 50;
  const base::Backend host = base::Backend::openmp();
  const Dense own = diagonally_dominant(kHalf, 1);
  for (const double coupling : {0.2, -0.2}) {
    const Dense other = coupling * Dense::Identity(kHalf, kHalf);
    const WithProjector matrix(own, other, host);
    Options options;
    options.method = Method::davidson;
    options.search = SearchEffort::none;
    options.max_subspace = 2;
    const auto found = solver::solve({matrix, host}, options);
    EXPECT_NEAR(found.states[0].energy, eigenvalues(matrix.matrix())[0], 1e-10) << coupling;
  }
}

/// The lowest odd vectors couple to rows far above, even ones do not: a small model space has the
/// even ones lowest.
TEST(Symmetries, TheSearchFindsAStateOfTheOtherSymmetry) {
  constexpr int kHalf = 200;
  const base::Backend host = base::Backend::openmp();
  Dense own = Dense::Zero(kHalf, kHalf);
  Dense other = Dense::Zero(kHalf, kHalf);
  for (int i = 0; i < kHalf; ++i) own(i, i) = i < 5 ? i : 10 + 0.01 * i;
  other(0, 0) = -0.5;
  for (int i = 100; i < kHalf; ++i) {
    own(0, i) = own(i, 0) = 0.25;
    other(0, i) = other(i, 0) = -0.25;
  }
  const WithProjector matrix(own, other, host);
  Options options;
  options.method = Method::davidson;
  options.model_size = 10;
  const auto found = solved_from_model(matrix, options);
  const auto exact = eigenvalues(matrix.matrix());
  EXPECT_NEAR(found.states[0].energy, exact[0], 1e-8);
  EXPECT_LT(exact[0], -0.6);
  for (Index i = 0; i < kHalf; ++i)
    EXPECT_NEAR(found.vectors(i, 0), -found.vectors(i + kHalf, 0), 1e-6) << i;
}

}  // namespace
}  // namespace cisolve::test

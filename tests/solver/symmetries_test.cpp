#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "solver/methods/solve.hpp"
#include "tests/solver/matrices.hpp"

// Operators with cheaper products for vectors of one symmetry.
namespace cisolve::test {
namespace {

using solver::Method;
using solver::Options;
using solver::SearchEffort;

/// A matrix invariant under exchange of the halves of its rows. Counts vectors of mixed symmetry.
class TwoHalves final : public DenseOperator {
 public:
  TwoHalves(Index half, base::Backend backend)
      : DenseOperator(matrix_of(half), std::move(backend)) {}
  TwoHalves(const Dense& own, const Dense& other, base::Backend backend)
      : DenseOperator(joined(own, other), std::move(backend)) {}

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) mixed += smaller_part(x, j) == 0 ? 0 : 1;
    DenseOperator::apply(x, y);
  }
  double purify(double share, base::Block x) const override {
    double taken = 0;
    for (int j = 0; j < x.columns; ++j) taken = std::max(taken, std::abs(smaller_part(x, j)));
    if (taken > share) return 0;
    for (int j = 0; j < x.columns; ++j) {
      const double sign = std::signbit(smaller_part(x, j)) ? -1 : 1;
      for (Index i = 0; i < x.rows / 2; ++i) {
        x(i, j) = (x(i, j) + sign * x(i + x.rows / 2, j)) / 2;
        x(i + x.rows / 2, j) = sign * x(i, j);
      }
    }
    return taken;
  }

  mutable int mixed = 0;

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
};

/// With the elements of a model space of options.model_size rows.
solver::Result solved_from_model(const TwoHalves& matrix, const Options& options) {
  const ElementsOf elements(matrix.matrix());
  solver::Problem problem{matrix, base::Backend::openmp()};
  problem.model_block = &elements;
  return solver::solve(problem, options);
}

TEST(Symmetries, ADavidsonKeepsWhatAnOperatorIsFastWith) {
  const base::Backend host = base::Backend::openmp();
  const TwoHalves matrix(300, host);
  Options options;
  options.method = Method::davidson;
  options.search = SearchEffort::none;
  options.states = 3;
  options.max_subspace = 12;
  options.model_size = 61;  // only one of a pair of halves
  const auto found = solved_from_model(matrix, options);
  EXPECT_GT(found.restarts, 1);
  EXPECT_EQ(matrix.mixed, 0);
  const auto exact = eigenvalues(matrix.matrix());
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(found.states[j].energy, exact[j], 1e-10);
}

/// A model space without the partner of its lowest row gives a start vector that is half even, half
/// odd.
TEST(Symmetries, AStartOfBothIsTakenApart) {
  constexpr int kHalf = 200;
  const base::Backend host = base::Backend::openmp();
  const Dense own = diagonally_dominant(kHalf, 1);
  Dense other = 0.01 * random_symmetric(kHalf, 2);
  for (const int states : {1, 2}) {
    const TwoHalves matrix(own, other, host);
    Options options;
    options.method = Method::davidson;
    options.search = SearchEffort::none;
    options.states = states;
    options.model_size = 3;  // of two pairs of halves
    const auto found = solved_from_model(matrix, options);
    EXPECT_EQ(matrix.mixed, 0) << states;
    const auto exact = eigenvalues(matrix.matrix());
    for (int j = 0; j < states; ++j) EXPECT_NEAR(found.states[j].energy, exact[j], 1e-10);
  }
}

/// Without a free column for both components, neither is lost.
TEST(Symmetries, AStartOfBothStaysSoWhereMemoryIsShort) {
  constexpr int kHalf = 50;
  const base::Backend host = base::Backend::openmp();
  const Dense own = diagonally_dominant(kHalf, 1);
  for (const double coupling : {0.2, -0.2}) {
    const Dense other = coupling * Dense::Identity(kHalf, kHalf);
    const TwoHalves matrix(own, other, host);
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
TEST(Symmetries, TheSearchMeetsAStateOfTheOtherOne) {
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
  const TwoHalves matrix(own, other, host);
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

#include <Eigen/Eigenvalues>

#include "solver/methods/solve.hpp"
#include "solver/vectors/columns.hpp"
#include "solver/verification/inertia.hpp"
#include "solver/verification/verify.hpp"
#include "tests/solver/two_operators.hpp"

// Verification of correct states: their bounds, and completeness.
namespace cisolve::test {
namespace {

using solver::Completeness;

class Verification : public TwoOperators {};

TEST_F(Verification, BoundsHoldAndAreCloseWhereEigenvaluesAreCounted) {
  const auto exact = eigenvalues(second.matrix());
  solver::Options options = davidson_options(kStates);
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    options.tolerance = tolerance;
    const auto result = solver::solve({solved, backend}, options);
    const auto found = solver::verify(check, result, {.tolerance = tolerance});
    const auto by_residuals =
        solver::verify(check, result, {.tolerance = tolerance, .certify_limit = 0});
    EXPECT_TRUE(found.passed && by_residuals.passed);
    for (int j = 0; j < kStates; ++j) {
      const double error = std::abs(result.states[j].energy - exact[j]);
      EXPECT_LE(error, found.states[j].error_bound);
      EXPECT_LE(found.states[j].error_bound, 2 * error + 4 * result.rounding);  // by counting
      EXPECT_LE(error, by_residuals.states[j].error_bound);
      EXPECT_LE(error, result.states[j].error_bound);
    }
  }
}

TEST_F(Verification, CountedBoundsHoldForEnergiesOnEitherSide) {
  const Eigen::SelfAdjointEigenSolver<Dense> exact(second.matrix());
  const base::MultiVector x = on_backend(exact.eigenvectors().leftCols(kStates), backend);
  for (const double error : {1e-6, -1e-6}) {
    std::vector<double> energies(exact.eigenvalues().begin(),
                                 exact.eigenvalues().begin() + kStates);
    energies[1] += error;
    const auto found = solver::verify(check, energies, x.block(), {.tolerance = 1e-5});
    EXPECT_EQ(found.completeness, Completeness::certified);
    EXPECT_GE(found.states[1].error_bound, 1e-6);
    EXPECT_LE(found.states[1].error_bound, 2.1e-6);
    EXPECT_LE(found.states[0].error_bound, 1e-12);
  }
}

// The diagonal does not help and the lowest states are close, so that a search is inconclusive.
TEST_F(Verification, AnUndecidedSearchProvesNothing) {
  const Eigen::VectorXd values = Eigen::ArrayXd::LinSpaced(kRows, 0, 10).square() / 10;
  const DenseOperator hard(with_eigenvalues(values, 1), backend);
  const Eigen::SelfAdjointEigenSolver<Dense> exact(hard.matrix());
  const std::vector<double> energies(exact.eigenvalues().begin(),
                                     exact.eigenvalues().begin() + kStates);
  const base::MultiVector x = on_backend(exact.eigenvectors().leftCols(kStates), backend);
  const auto found =
      solver::verify({hard, backend}, energies, x.block(), {.certify_limit = 0, .search = true});
  EXPECT_TRUE(found.passed);
  EXPECT_EQ(found.completeness, Completeness::not_checked);
}

TEST_F(Verification, TheProofOfASolverIsKept) {
  auto result = solver::solve({solved, backend}, davidson_options(kStates));
  ASSERT_EQ(result.completeness, Completeness::searched);
  ASSERT_TRUE(result.beyond.counted);
  result.beyond.states = 7;
  result.rounding = 1e-3;
  const auto found = solver::verify(check, result, {.certify_limit = 0});
  EXPECT_EQ(found.completeness, Completeness::searched);
  EXPECT_TRUE(found.beyond.counted);
  EXPECT_EQ(found.beyond.states, 7);
  for (const auto& state : found.states) EXPECT_GE(state.error_bound, 1e-3);
  const auto counted = solver::verify(check, result, {});
  EXPECT_EQ(counted.completeness, Completeness::certified);
  EXPECT_EQ(counted.beyond.states, 0);
}

TEST(Inertia, CountsTheEigenvaluesBelowAShift) {
  const auto host = base::Backend::reference();
  for (int seed = 1; seed <= 20; ++seed) {
    const int n = seed;
    Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(n, -3, 4);
    if (n > 4) values[3] = values[2];
    const Dense a = with_eigenvalues(values, seed);
    const auto copy = base::Array<double>::copy_of({a.data(), static_cast<std::size_t>(a.size())},
                                                   host, "a matrix");
    const auto t = solver::tridiagonal_of(copy, n);
    for (const double shift : {-10.0, -3.1, -2.9, -0.123, 0.456, 3.9, 4.1})
      EXPECT_EQ(solver::count_below(t, shift), (values.array() < shift).count()) << shift;
  }
  for (const double unit : {0x1p-600, 0x1p600}) {  // squares underflow or overflow
    const Dense a = unit * with_eigenvalues(Eigen::VectorXd::LinSpaced(9, -4, 4), 3);
    const auto copy = base::Array<double>::copy_of({a.data(), static_cast<std::size_t>(a.size())},
                                                   host, "a matrix");
    for (const double shift : {-3.5, -0.5, 2.5})
      EXPECT_EQ(solver::count_below(solver::tridiagonal_of(copy, 9), shift * unit), shift + 4.5);
  }
  const solver::Tridiagonal diagonal{{1, 1, 2}, {0, 0}};
  EXPECT_EQ(solver::count_below(diagonal, 1.5), 2);
}

}  // namespace
}  // namespace cisolve::test

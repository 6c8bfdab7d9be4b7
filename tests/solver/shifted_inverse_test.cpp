#include "solver/vectors/shifted_inverse.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "solver/vectors/kernels.hpp"
#include "solver/vectors/tridiagonal.hpp"
#include "tests/solver/matrices.hpp"

namespace cisolve::test {
namespace {

constexpr double kShiftFloor = 1e-3;
constexpr int kFew = 4;

Dense as_dense(const base::SmallMatrix& a) {
  return Eigen::Map<const Dense>(a.values().data(), a.rows(), a.columns());
}

Dense some_columns(Index rows, int count) {
  return random_symmetric(static_cast<int>(rows), 77).leftCols(count);
}

/// Applies the inverse by all eigenpairs, as Eigen finds them.
Dense inverse_times(const Dense& b, double shift, const Dense& x) {
  const Eigen::SelfAdjointEigenSolver<Dense> pairs(b);
  Dense amplitudes = pairs.eigenvectors().transpose() * x;
  for (Index i = 0; i < b.rows(); ++i)
    amplitudes.row(i) /= solver::guarded(pairs.eigenvalues()[i] - shift, kShiftFloor);
  return pairs.eigenvectors() * amplitudes;
}

void expect_lowest(const Dense& b, int few) {
  const solver::ShiftedInverse inverse(as_small(b), few);
  EXPECT_FALSE(inverse.knows_all());
  const solver::EigenPairs& pairs = inverse.lowest(few);
  ASSERT_EQ(pairs.vectors.columns(), few);
  const Dense u = as_dense(pairs.vectors);
  const auto values = eigenvalues(b);
  const double size = b.norm();
  EXPECT_LT((u.transpose() * u - Dense::Identity(few, few)).norm(), 1e-13);
  for (int j = 0; j < few; ++j) {
    EXPECT_NEAR(pairs.values[j], values[j], 1e-14 * size);
    EXPECT_LT((b * u.col(j) - pairs.values[j] * u.col(j)).norm(), 1e-13 * size);
  }
}

/// Two vectors and two shifts, one of them below all eigenvalues.
void expect_inverse(const Dense& b, double shift, bool by_all) {
  const solver::ShiftedInverse inverse(as_small(b), kFew);
  const double below = eigenvalues(b)[0] - 0.5;
  const Dense before = some_columns(b.rows(), 2);
  base::SmallMatrix x = as_small(before);
  const std::vector<double> shifts{shift, below};
  inverse.apply(shifts, kShiftFloor, x);
  EXPECT_EQ(inverse.knows_all(), by_all);
  for (int j = 0; j < 2; ++j) {
    const Dense expected = inverse_times(b, shifts[j], before.col(j));
    EXPECT_LT((as_dense(x).col(j) - expected).norm(), 1e-10 * expected.norm()) << shifts[j];
  }
}

void expect_last_elements(const Dense& a) {
  const auto found = solver::TridiagonalForm(as_small(a)).last_elements();
  ASSERT_TRUE(found);
  ASSERT_EQ(std::ssize(found->values), a.rows());
  const double size = std::max(a.cwiseAbs().maxCoeff(), 1e-300);
  const Eigen::SelfAdjointEigenSolver<Dense> exact(a / size);
  double squares = 0;
  for (Index j = 0; j < a.rows(); ++j) {
    EXPECT_NEAR(found->values[j] / size, exact.eigenvalues()[j], 1e-14 * (a / size).norm()) << j;
    squares += found->last[j] * found->last[j];
  }
  EXPECT_NEAR(squares, 1, 1e-13);
  // Degenerate eigenvectors are compared as a subspace.
  for (Index first = 0; first < a.rows();) {
    Index next = first;
    double ours = 0;
    double theirs = 0;
    while (next < a.rows() && found->values[next] - found->values[first] <= 1e-8 * size) {
      ours += found->last[next] * found->last[next];
      theirs += std::pow(exact.eigenvectors()(a.rows() - 1, next++), 2);
    }
    EXPECT_NEAR(ours, theirs, 1e-12) << first;
    first = next;
  }
}

/// Arrowhead matrix of Ritz values followed by Lanczos steps, as after a restart.
Dense after_a_restart(int kept, int rows) {
  Dense t = Dense::Zero(rows, rows);
  for (int i = 0; i < kept; ++i) {
    t(i, i) = -10 + 0.2 * i;
    t(kept, i) = t(i, kept) = i < 4 ? 0 : std::pow(10, -12.0 + 0.3 * i);
  }
  for (int i = kept; i < rows; ++i) {
    t(i, i) = std::sin(i);
    if (i > kept) t(i, i - 1) = t(i - 1, i) = 2 + std::cos(i);
  }
  return t;
}

TEST(TridiagonalForm, GivesTheLastElementsOfAllEigenvectors) {
  for (const int rows : {1, 2, 3, 40, 90}) expect_last_elements(random_symmetric(rows, 3));
  expect_last_elements(after_a_restart(36, 60));
  expect_last_elements(1e50 * after_a_restart(5, 9));
  expect_last_elements(1e-50 * after_a_restart(5, 9));
  expect_last_elements(Dense::Zero(5, 5));
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(40, -1, 1);
  values[1] = values[2] = values[0];
  expect_last_elements(with_eigenvalues(values, 4));
  EXPECT_TRUE(solver::TridiagonalForm(base::SmallMatrix(0, 0)).last_elements()->values.empty());
}

TEST(TridiagonalForm, RefusesNonFiniteOrOversizedMatrices) {
  Dense a = random_symmetric(20, 3);
  a(7, 7) = std::nan("");
  EXPECT_FALSE(solver::TridiagonalForm(as_small(a)).last_elements());
  for (const double size : {1e120, 1e-120}) {
    const Dense scaled = size * after_a_restart(5, 9);
    EXPECT_FALSE(solver::TridiagonalForm(as_small(scaled)).last_elements()) << size;
  }
}

TEST(ShiftedInverse, FindsTheLowestEigenpairs) {
  expect_lowest(diagonally_dominant(150, 1), kFew);
  expect_lowest(random_symmetric(97, 2), 6);
  expect_lowest(block_diagonal(diagonally_dominant(60, 3), diagonally_dominant(41, 3)), 6);
  expect_lowest(Dense(Eigen::VectorXd::LinSpaced(80, 3, -2).asDiagonal()), 5);
  expect_lowest(1e-100 * random_symmetric(80, 4), 2);
}

TEST(ShiftedInverse, SeparatesDegenerateEigenvectors) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(130, -1, 4);
  values.head(5).setConstant(-1.5);
  values.segment(5, 20).setConstant(-1.4);
  expect_lowest(with_eigenvalues(values, 5), 8);
  expect_lowest(Dense(values.asDiagonal()), 8);
}

TEST(ShiftedInverse, AwayFromEigenvaluesNeedsNoEigenvectors) {
  const Dense b = with_eigenvalues(Eigen::VectorXd::LinSpaced(120, 0, 119), 6);
  for (const double shift : {-7.0, 0.4, 60.5, 118.99, 200.0}) expect_inverse(b, shift, false);
  Dense chain = Dense::Zero(100, 100);  // half of the pivots vanish
  for (int i = 0; i < 99; ++i) chain(i, i + 1) = chain(i + 1, i) = 1;
  expect_inverse(chain, 0, false);
}

TEST(ShiftedInverse, NearTheLowestKeepsItsDistance) {
  const Dense b = with_eigenvalues(Eigen::VectorXd::LinSpaced(120, 0, 1.19), 7);
  const auto values = eigenvalues(b);
  for (const double off : {1e-13, -1e-9, 4e-4, -9e-4})
    for (const int state : {0, kFew - 1}) expect_inverse(b, values[state] + off, false);
}

TEST(ShiftedInverse, NearOtherEigenvaluesComputesAllEigenvectors) {
  const Dense b = with_eigenvalues(Eigen::VectorXd::LinSpaced(120, 0, 119), 8);
  const auto values = eigenvalues(b);
  for (const double off : {1e-9, 4e-4, -9e-4}) expect_inverse(b, values[kFew] + off, true);
  expect_inverse(b, values[119] - 2e-4, true);
}

TEST(ShiftedInverse, ARequestForMoreReturnsAll) {
  const Dense b = random_symmetric(100, 9);
  const solver::ShiftedInverse inverse(as_small(b), kFew);
  const solver::EigenPairs& pairs = inverse.lowest(kFew + 1);
  ASSERT_EQ(pairs.vectors.columns(), 100);
  EXPECT_NEAR(pairs.values[50], eigenvalues(b)[50], 1e-12);
  EXPECT_TRUE(solver::ShiftedInverse(as_small(b), 50).knows_all());
}

TEST(ShiftedInverse, AcceptsNumbersOfAnyMagnitude) {
  const Dense huge = 1e200 * random_symmetric(100, 10);
  const solver::ShiftedInverse inverse(as_small(huge), kFew);
  EXPECT_NEAR(inverse.lowest(1).values[0] / eigenvalues(huge)[0], 1, 1e-12);
  const solver::ShiftedInverse zero(as_small(Dense::Zero(100, 100)), kFew);
  EXPECT_EQ(zero.lowest(1).values[0], 0);
  Dense unfit = random_symmetric(100, 11);
  unfit(70, 30) = unfit(30, 70) = std::nan("");
  EXPECT_THROW(solver::ShiftedInverse(as_small(unfit), kFew), base::Error);
}

}  // namespace
}  // namespace cisolve::test

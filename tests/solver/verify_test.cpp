#include "solver/verification/verify.hpp"

#include <bit>
#include <cmath>

#include "base/block_kernels.hpp"
#include "base/text.hpp"
#include "solver/methods/solve.hpp"
#include "solver/verification/inertia.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

namespace cisolve::test {
namespace {

using solver::Completeness;
using solver::VerifyOptions;

double with_bit_flipped(double value, int bit) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << bit));
}

class Verify : public BackendTest {
 protected:
  static constexpr int kRows = 300;
  static constexpr int kStates = 4;
  base::Backend backend = backend_under_test();
  DenseOperator solved{diagonally_dominant(kRows, 21, 0.2), backend};
  DenseOperator second{diagonally_dominant(kRows, 21, 0.2), backend};
  solver::Problem check{second, backend};

  solver::Result solution(const DenseOperator& matrix) {
    solver::Options options;
    options.method = solver::Method::davidson;
    options.states = kStates;
    return solver::solve({matrix, backend}, options);
  }
  base::MultiVector on_backend(const Dense& x) const {
    base::MultiVector host(backend.host(), x.rows(), static_cast<int>(x.cols()), "states");
    for (int j = 0; j < x.cols(); ++j)
      Eigen::VectorXd::Map(host.block().column(j), x.rows()) = x.col(j);
    return host.to(backend);
  }
  static std::vector<double> energies_of(const solver::Result& result) {
    std::vector<double> energies;
    for (const auto& state : result.states) energies.push_back(state.energy);
    return energies;
  }
};

TEST_F(Verify, PassesAnHonestResultAndCertifiesIt) {
  const auto result = solution(solved);
  const auto found = solver::verify(check, result, {});
  EXPECT_TRUE(found.passed) << (found.failures.empty() ? "" : found.failures.front());
  EXPECT_EQ(found.completeness, Completeness::certified);
  EXPECT_LE(found.max_residual, 1.5e-8);
  EXPECT_LE(found.orthogonality, 1e-12);
  EXPECT_EQ(std::ssize(found.states), kStates);
}

TEST_F(Verify, BoundsHoldAndAreCloseWhereEigenvaluesAreCounted) {
  const auto exact = eigenvalues(second.matrix());
  solver::Options options;
  options.method = solver::Method::davidson;
  options.states = kStates;
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
      EXPECT_LE(found.states[j].error_bound, 2 * error + 4 * result.rounding);  // it is counted
      EXPECT_LE(error, by_residuals.states[j].error_bound);
      EXPECT_LE(error, result.states[j].error_bound);
    }
  }
}

// Each with what it costs alone, so that none of the checks stands in for another.
TEST_F(Verify, FindsALittleOfAnotherStateInAnyOfThem) {
  const Eigen::SelfAdjointEigenSolver<Dense> exact(second.matrix());
  constexpr double share = 1e-6;
  const double other = exact.eigenvalues()[100];
  for (int mixed = 0; mixed < kStates; ++mixed) {
    Dense x = exact.eigenvectors().leftCols(kStates);
    x.col(mixed) = (x.col(mixed) + share * exact.eigenvectors().col(100)).normalized();
    std::vector<double> energies(exact.eigenvalues().begin(),
                                 exact.eigenvalues().begin() + kStates);
    const double distance = other - energies[mixed];
    energies[mixed] += share * share * distance;  // its Rayleigh quotient
    const auto found = solver::verify(check, energies, on_backend(x).block(), {});
    EXPECT_FALSE(found.passed);
    ASSERT_EQ(found.failures.size(), 1u) << found.failures.back();
    EXPECT_NE(found.failures[0].find(base::concat("state ", mixed + 1, " has a residual")),
              std::string::npos);
    EXPECT_NEAR(found.max_residual, share * distance, 1e-10);
  }
}

TEST_F(Verify, FindsVectorsOfOneEnergyThatAreNotOrthonormal) {
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(60, -3, 4);
  values[1] = values[0];
  DenseOperator degenerate(with_eigenvalues(values, 5), backend);
  const Eigen::SelfAdjointEigenSolver<Dense> exact(degenerate.matrix());
  Dense x = exact.eigenvectors().leftCols(2);
  const std::vector<double> energies(exact.eigenvalues().begin(), exact.eigenvalues().begin() + 2);
  EXPECT_TRUE(solver::verify({degenerate, backend}, energies, on_backend(x).block(), {}).passed);
  x.col(1) = (x.col(1) + 1e-6 * x.col(0)).normalized();
  const auto found = solver::verify({degenerate, backend}, energies, on_backend(x).block(), {});
  EXPECT_FALSE(found.passed);
  EXPECT_EQ(found.failures.size(), 1u);
  EXPECT_NEAR(found.orthogonality, 1e-6, 1e-9);
}

TEST_F(Verify, FindsStatesThatAreOutOfOrder) {
  const Eigen::SelfAdjointEigenSolver<Dense> exact(second.matrix());
  Dense x = exact.eigenvectors().leftCols(kStates);
  x.col(1).swap(x.col(2));
  std::vector<double> energies(exact.eigenvalues().begin(), exact.eigenvalues().begin() + kStates);
  std::swap(energies[1], energies[2]);
  const auto found = solver::verify(check, energies, on_backend(x).block(), {});
  EXPECT_FALSE(found.passed);
  EXPECT_EQ(found.failures.size(), 1u);
}

TEST_F(Verify, FindsABitInTheMatrixThatWasSolved) {
  // The exponent and the leading digits of elements that the states feel.
  for (const int bit : {40, 48, 52, 55, 63})
    for (const auto& [i, j] : {std::pair{0, 0}, {0, 1}, {2, 5}}) {
      DenseOperator broken(second.matrix(), backend);
      broken.matrix()(i, j) = broken.matrix()(j, i) = with_bit_flipped(second.matrix()(i, j), bit);
      const auto result = solution(broken);
      ASSERT_TRUE(result.converged());
      EXPECT_FALSE(solver::verify(check, result, {}).passed)
          << "bit " << bit << " of (" << i << ", " << j << ")";
    }
}

TEST_F(Verify, FindsABitInAVector) {
  const auto result = solution(solved);
  const auto energies = energies_of(result);
  for (const int bit : {36, 45, 52, 57, 63})
    for (const Index row : {Index{0}, Index{3}}) {
      auto x = result.vectors.to(backend.host());
      x(row, 1) = with_bit_flipped(x(row, 1), bit);
      const auto broken = x.to(backend);
      EXPECT_FALSE(solver::verify(check, energies, broken.block(), {}).passed)
          << "bit " << bit << " of row " << row;
    }
}

TEST_F(Verify, FindsABitInAnEnergy) {
  const auto result = solution(solved);
  for (const int bit : {16, 30, 45, 52, 60, 63}) {
    auto energies = energies_of(result);
    energies[2] = with_bit_flipped(energies[2], bit);
    EXPECT_FALSE(solver::verify(check, energies, result.vectors.block(), {}).passed) << bit;
  }
}

TEST_F(Verify, FindsARemovedRootByCountingAndBySearching) {
  solver::Options options;
  options.method = solver::Method::davidson;
  options.states = 5;
  auto result = solver::solve({solved, backend}, options);
  for (int removed = 0; removed < 4; ++removed) {
    std::vector<double> energies;
    base::MultiVector x(backend, kRows, 4);
    for (int j = 0; j < 5; ++j) {
      if (j == removed) continue;
      base::block_kernels(backend).copy(backend, result.vectors.block(j, 1),
                                        x.block(static_cast<int>(energies.size()), 1));
      energies.push_back(result.states[j].energy);
    }
    const auto counted = solver::verify(check, energies, x.block(), {});
    EXPECT_FALSE(counted.passed) << "root " << removed;
    const auto searched =
        solver::verify(check, energies, x.block(), {.certify_limit = 0, .search = true});
    EXPECT_FALSE(searched.passed) << "root " << removed;
    const auto neither = solver::verify(check, energies, x.block(), {.certify_limit = 0});
    EXPECT_EQ(neither.completeness, Completeness::not_checked);
  }
}

TEST_F(Verify, SearchingPassesAnHonestResult) {
  const auto result = solution(solved);
  const auto found = solver::verify(check, energies_of(result), result.vectors.block(),
                                    {.certify_limit = 0, .search = true});
  EXPECT_TRUE(found.passed);
  EXPECT_EQ(found.completeness, Completeness::searched);
}

TEST_F(Verify, FindsExchangedAndRepeatedStates) {
  const auto result = solution(solved);
  auto energies = energies_of(result);
  std::swap(energies[0], energies[1]);
  EXPECT_FALSE(solver::verify(check, energies, result.vectors.block(), {}).passed);
  auto x = result.vectors.to(backend);
  base::block_kernels(backend).copy(backend, result.vectors.block(0, 1), x.block(1, 1));
  energies = energies_of(result);
  energies[1] = energies[0];
  EXPECT_FALSE(solver::verify(check, energies, x.block(), {}).passed);
}

TEST_F(Verify, WhatIsNotANumberFails) {
  const auto result = solution(solved);
  auto energies = energies_of(result);
  energies[3] = std::nan("");
  EXPECT_FALSE(
      solver::verify(check, energies, result.vectors.block(), {.certify_limit = 0}).passed);
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
  const solver::Tridiagonal diagonal{{1, 1, 2}, {0, 0}};
  EXPECT_EQ(solver::count_below(diagonal, 1.5), 2);
}

}  // namespace
}  // namespace cisolve::test

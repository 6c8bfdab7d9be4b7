#include "solver/verification/verify.hpp"
#include "solver/vectors/columns.hpp"

#include <Eigen/Eigenvalues>
#include <bit>
#include <cmath>

#include "base/block_kernels.hpp"
#include "base/text.hpp"
#include "solver/methods/solve.hpp"
#include "tests/solver/two_operators.hpp"

namespace cisolve::test {
namespace {

using solver::Completeness;

double with_bit_flipped(double value, int bit) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << bit));
}

class Verify : public TwoOperators {
 protected:
  solver::Result solution(const DenseOperator& matrix) {
    solver::Options options;
    options.method = solver::Method::davidson;
    options.states = kStates;
    return solver::solve({matrix, backend}, options);
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

TEST_F(Verify, WithoutMemoryToCountPassesUncertified) {
  if (!backend.is_host()) GTEST_SKIP() << "all elements are the host's";
  const auto result = solution(solved);
  const auto little = base::Backend::openmp(1, {.host_bytes = 20 * second.rows() * 8});
  const DenseOperator there(second.matrix(), little);
  const auto found = solver::verify({there, little}, result, {});
  EXPECT_TRUE(found.passed) << (found.failures.empty() ? "" : found.failures.front());
  EXPECT_EQ(found.completeness, result.completeness);
  EXPECT_NE(found.completeness, Completeness::certified);
  EXPECT_LE(found.max_residual, 1.5e-8);
}

TEST_F(Verify, ReportsProductsInTheRequestedRows) {
  constexpr int kMany = 11;  // more than one product takes
  const Index size = second.rows();
  const Dense x = Dense::Random(size, kMany);
  const Dense products = second.matrix() * x;
  const std::vector<double> energies(kMany, 0.0);
  const std::vector<Index> rows = {0, 3, size - 1};
  const auto found = solver::verify(check, energies, on_backend(x, backend).block(),
                                    {.certify_limit = 0, .rows = rows});
  ASSERT_EQ(found.products.rows(), 3);
  ASSERT_EQ(found.products.columns(), kMany);
  for (int j = 0; j < kMany; ++j)
    for (int r = 0; r < 3; ++r)
      EXPECT_NEAR(found.products(r, j), products(rows[r], j), 1e-12) << r << ", " << j;
  EXPECT_DOUBLE_EQ(found.scale, second.matrix().diagonal().cwiseAbs().maxCoeff());
  EXPECT_EQ(solver::verify(check, energies, on_backend(x, backend).block(), {}).products.rows(), 0);
}

// Each error by itself, so that no check masks another.
TEST_F(Verify, FindsASmallComponentOfAnotherState) {
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
    const auto found = solver::verify(check, energies, on_backend(x, backend).block(), {});
    EXPECT_FALSE(found.passed);
    ASSERT_EQ(found.failures.size(), 1u);
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
  EXPECT_TRUE(
      solver::verify({degenerate, backend}, energies, on_backend(x, backend).block(), {}).passed);
  x.col(1) = (x.col(1) + 1e-6 * x.col(0)).normalized();
  const auto found =
      solver::verify({degenerate, backend}, energies, on_backend(x, backend).block(), {});
  EXPECT_FALSE(found.passed);
  EXPECT_EQ(found.failures.size(), 1u);
  EXPECT_NEAR(found.orthogonality, 1e-6, 1e-9);
}

TEST_F(Verify, FindsVectorsThatAreNotOfUnitLength) {
  const Eigen::SelfAdjointEigenSolver<Dense> exact(second.matrix());
  Dense x = exact.eigenvectors().leftCols(kStates);
  x.col(2) *= 1 + 1e-6;
  const std::vector<double> energies(exact.eigenvalues().begin(),
                                     exact.eigenvalues().begin() + kStates);
  const auto found = solver::verify(check, energies, on_backend(x, backend).block(), {});
  EXPECT_FALSE(found.passed);
  ASSERT_EQ(found.failures.size(), 1u);
  EXPECT_NE(found.failures[0].find("the vectors are orthonormal to 2.0"), std::string::npos)
      << found.failures[0];
}

TEST_F(Verify, FindsStatesThatAreOutOfOrder) {
  const Eigen::SelfAdjointEigenSolver<Dense> exact(second.matrix());
  Dense x = exact.eigenvectors().leftCols(kStates);
  x.col(1).swap(x.col(2));
  std::vector<double> energies(exact.eigenvalues().begin(), exact.eigenvalues().begin() + kStates);
  std::swap(energies[1], energies[2]);
  const auto found = solver::verify(check, energies, on_backend(x, backend).block(), {});
  EXPECT_FALSE(found.passed);
  EXPECT_EQ(found.failures.size(), 1u);
}

TEST_F(Verify, FindsAFlippedBitInTheMatrix) {
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

TEST_F(Verify, FindsAFlippedBitInAVector) {
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

TEST_F(Verify, FindsAFlippedBitInAnEnergy) {
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

TEST_F(Verify, ValuesThatAreNotNumbersFail) {
  const auto result = solution(solved);
  auto energies = energies_of(result);
  energies[3] = std::nan("");
  EXPECT_FALSE(
      solver::verify(check, energies, result.vectors.block(), {.certify_limit = 0}).passed);
}

}  // namespace
}  // namespace cisolve::test

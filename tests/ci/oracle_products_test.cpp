#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/multivector.hpp"
#include "ci/fock/models/electron_models.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "sparse/formats/csr.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/ci/systems.hpp"
#include "tests/support/vectors.hpp"

// The stored matrix against the oracle.
namespace cisolve::ci {
namespace {

using test::kHost;

const Partition kPartition(kHost);

/// Uses three vectors.
void expect_equal_products(const Space& space, const Integrals& integrals, double threshold = 0) {
  const sparse::Csr h =
      sparse::build_csr(HamiltonianRows(space, integrals, kPartition, threshold), kHost);
  const OracleOperator direct(space, integrals, threshold);
  const base::MultiVector x = test::random_vectors(space.dimension(), 3, 1);
  base::MultiVector y(kHost, space.dimension(), 3);
  direct.apply(x.block(), y.block());
  for (int j = 0; j < 3; ++j)
    for (Index i = 0; i < x.rows(); ++i) {
      double sum = 0;
      for (Index k = h.offsets[i]; k < h.offsets[i + 1]; ++k)
        sum += h.values[k] * x(h.columns[k], j);
      ASSERT_NEAR(y(i, j), sum, 1e-12) << "row " << i;
    }
}

class OracleProducts : public test::SystemTest {};

TEST_P(OracleProducts, EqualThoseOfTheMatrix) {
  expect_equal_products(full_ci(sector(), kHost), integrals());
}

INSTANTIATE_TEST_SUITE_P(Hamiltonian, OracleProducts, ::testing::ValuesIn(test::systems()),
                         test::name_of_system);

TEST(ListProducts, OfListsTooScatteredForATableOfPositions) {
  const Sector sector{20, 4, 4};
  const Integrals integrals = test::random_integrals(20, false, 19, {});
  const Space whole = full_ci(sector, kHost);
  const Index strings = std::ssize(whole.strings(Spin::alpha));
  std::vector<Determinant> picked;
  for (Index a = 0; a < strings; ++a)  // pairs each alpha string with its mirror and a neighbour
    for (const Index step : {0, 1})
      picked.push_back({whole.strings(Spin::alpha)[a],
                        whole.strings(Spin::beta)[(strings - 1 - a + step * a % 11) % strings]});
  std::ranges::sort(picked);
  const auto repeats = std::ranges::unique(picked);
  picked.erase(repeats.begin(), repeats.end());
  const Space space = list_space(sector, picked, kHost);
  ASSERT_GT(space.lists() * std::ssize(space.strings(Spin::beta)), Index{1} << 24);
  expect_equal_products(space, integrals);
}

/// A list space: alpha string a has beta string b if holds(a is a third one, b is the chosen one).
void expect_products_of_lists(const std::function<bool(bool third, bool chosen)>& holds) {
  const Sector sector{7, 2, 3};
  const Integrals integrals = test::random_integrals(7, true, 23, {});
  const Space whole = full_ci(sector, kHost);
  const auto alphas = whole.strings(Spin::alpha);
  const auto betas = whole.strings(Spin::beta);
  for (const Index chosen : {Index{0}, std::ssize(betas) / 2, std::ssize(betas) - 1}) {
    std::vector<Determinant> picked;
    for (Index a = 0; a < std::ssize(alphas); ++a)
      for (Index b = 0; b < std::ssize(betas); ++b)
        if (holds(a % 3 == 0, b == chosen)) picked.push_back({alphas[a], betas[b]});
    expect_equal_products(list_space(sector, picked, kHost), integrals);
  }
}

TEST(ListProducts, OfAlphaStringsWithOneBetaAndWithAll) {
  expect_products_of_lists([](bool third, bool chosen) { return third || chosen; });
}

TEST(ListProducts, OfAlphaStringsWithOneBetaAndWithAllOthers) {
  expect_products_of_lists([](bool third, bool chosen) { return third != chosen; });
}

// Hopping and repulsion are exact in binary, so elements equal the threshold to the last bit.
TEST(ThresholdProducts, LeaveOutElementsAsLargeAsTheThresholdAsTheMatrixDoes) {
  const Integrals chain = hubbard({.shape = {4, 1}, .t = 0.5, .u = 2}, kHost);
  const Space space = full_ci({4, 2, 2}, kHost);
  for (const double threshold : {0.25, 0.5}) expect_equal_products(space, chain, threshold);
  const sparse::Csr kept = sparse::build_csr(HamiltonianRows(space, chain, kPartition, 0.5), kHost);
  EXPECT_EQ(kept.nonzeros(), space.dimension());
}

}  // namespace
}  // namespace cisolve::ci

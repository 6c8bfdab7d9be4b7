#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/multivector.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/properties/density.hpp"
#include "ci/properties/mixed_density.hpp"
#include "ci/properties/same_spin_density.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/vectors.hpp"

// For a state that is even or odd under the exchange of spins, both spins have equal densities.
namespace cisolve::ci {
namespace {

using test::kHost;

class StateParity : public test::BackendTest {
 protected:
  static constexpr int kOrbitals = 9;

  /// x(a, b) + sign x(b, a) of a random state.
  base::MultiVector with_parity(double sign) const {
    const base::MultiVector x = test::random_states(space.dimension(), 1);
    base::MultiVector y(kHost, space.dimension(), 1);
    for (Index a = 0; a < strings; ++a)
      for (Index b = 0; b < strings; ++b)
        y(a * strings + b, 0) = x(a * strings + b, 0) + sign * x(b * strings + a, 0);
    return y;
  }
  bool has_parity(const base::MultiVector& x) const {
    const base::MultiVector on_backend = x.to(backend);
    return state_sums(space, backend)->has_parity(on_backend.block().column(0));
  }
  std::vector<double> same_spin(Spin spin, const base::MultiVector& x) const {
    const base::MultiVector on_backend = x.to(backend);
    std::vector<double> values(pairs_of(kOrbitals) * pairs_of(kOrbitals));
    state_sums(space, backend)->same_spin_density(spin, on_backend.block().column(0), values);
    return values;
  }

  base::Backend backend = test::backend_under_test();
  Space space = full_ci({kOrbitals, 4, 4}, kHost);
  Index strings = std::ssize(space.strings(Spin::alpha));  // 126, more than a tile has
};

TEST_F(StateParity, IsFoundFromTheWholeState) {
  EXPECT_FALSE(has_parity(test::random_states(space.dimension(), 1)));
  for (const double sign : {1.0, -1.0}) {
    SCOPED_TRACE(sign);
    base::MultiVector x = with_parity(sign);
    EXPECT_TRUE(has_parity(x));
    for (const auto& [a, b] : {std::pair{125, 124}, {3, 100}, {100, 3}, {70, 69}, {0, 1}}) {
      double& element = x(a * strings + b, 0);
      const double before = std::exchange(element, element * (1 + 1e-15));
      EXPECT_FALSE(has_parity(x)) << a << ", " << b;
      element = before;
    }
    x(77 * strings + 77, 0) += 0.5;  // an odd state has a zero there
    EXPECT_EQ(has_parity(x), sign > 0);
  }
}

TEST_F(StateParity, IsUndefinedIfSpinsHaveDifferentStrings) {
  for (const Space& other :
       {full_ci({6, 3, 2}, kHost), full_ci({6, 2, 2, {0, 1, 0, 1, 0, 1}, 0}, kHost)}) {
    base::MultiVector x(kHost, other.dimension(), 1);
    std::ranges::fill_n(x.block().data, x.rows(), 1.0);
    const base::MultiVector on_backend = x.to(backend);
    EXPECT_FALSE(state_sums(other, backend)->has_parity(on_backend.block().column(0)));
  }
}

TEST_F(StateParity, GivesBothSpinsTheSameDensities) {
  for (const double sign : {1.0, -1.0}) {
    const base::MultiVector x = with_parity(sign);
    const std::vector<double> alpha = same_spin(Spin::alpha, x);
    const std::vector<double> beta = same_spin(Spin::beta, x);
    const base::MultiVector on_backend = x.to(backend);
    const TwoParticleDensity two(*state_sums(space, backend), on_backend.block().column(0));
    for (std::size_t i = 0; i < alpha.size(); ++i) ASSERT_NEAR(alpha[i], beta[i], 1e-12);
    for (int p = 1; p < kOrbitals; ++p)
      for (int q = 1; q < kOrbitals; ++q)
        EXPECT_EQ(two.same(Spin::beta, p, q, 0, 0), two.same(Spin::alpha, p, q, 0, 0));
  }
  const base::MultiVector x = test::random_states(space.dimension(), 1);
  const base::MultiVector on_backend = x.to(backend);
  const TwoParticleDensity two(*state_sums(space, backend), on_backend.block().column(0));
  EXPECT_NE(two.same(Spin::beta, 1, 1, 0, 0), two.same(Spin::alpha, 1, 1, 0, 0));
}

// Half of it is summed, and the other half follows by symmetry.
TEST_F(StateParity, LeavesHalfOfTheMixedDensityToSum) {
  for (const double sign : {1.0, -1.0}) {
    SCOPED_TRACE(sign);
    const base::MultiVector x = with_parity(sign);
    const base::MultiVector on_backend = x.to(backend);
    constexpr Index kSize = Index{kOrbitals} * kOrbitals * kOrbitals * kOrbitals;
    std::vector<double> found(kSize), expected(kSize);
    state_sums(space, backend)->mixed_density(on_backend.block().column(0), found);
    MixedDensity(space).add(x.block().column(0), x.block().column(0), expected);
    for (int p = 0; p < kOrbitals; ++p)
      for (int q = 0; q <= p; ++q)
        for (Index rs = 0; rs < kOrbitals * kOrbitals; ++rs) {
          const Index at = (Index{p} * kOrbitals + q) * kOrbitals * kOrbitals + rs;
          ASSERT_NEAR(found[at], expected[at], 1e-11) << p << ", " << q << ", " << rs;
        }
  }
}

}  // namespace
}  // namespace cisolve::ci

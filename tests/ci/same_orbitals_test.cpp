#include "ci/fock/integrals/same_orbitals.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "tests/support/ci_systems.hpp"

namespace cisolve::test {
namespace {

using ci::Integrals;

/// Restricted integrals written as three equal blocks.
Integrals in_blocks(const Integrals& restricted) {
  const int size = restricted.orbitals();
  Integrals blocks(size, true, base::Backend::openmp());
  for (const Spin s : {Spin::alpha, Spin::beta})
    for (int p = 0; p < size; ++p)
      for (int q = 0; q <= p; ++q) {
        blocks.set_one(s, p, q, restricted.one(s, p, q));
        for (const Spin t : {Spin::alpha, Spin::beta})
          for (int r = 0; r < size; ++r)
            for (int u = 0; u <= r; ++u)
              blocks.set_two(s, p, q, t, r, u, restricted.two(s, p, q, t, r, u));
      }
  return blocks;
}

TEST(SameOrbitals, AreDetectedFromTheBlocksOfIntegrals) {
  const Integrals restricted = random_integrals(4, false, 3, {});
  EXPECT_TRUE(ci::have_same_orbitals(restricted));
  EXPECT_TRUE(ci::have_same_orbitals(in_blocks(restricted)));
  EXPECT_FALSE(ci::have_same_orbitals(random_integrals(4, true, 3, {})));
}

TEST(SameOrbitals, DifferIfAnyBlockDiffers) {
  const Integrals restricted = random_integrals(4, false, 5, {});
  Integrals one = in_blocks(restricted);
  one.set_one(Spin::beta, 2, 1, one.one(Spin::alpha, 2, 1) + 1e-6);
  EXPECT_FALSE(ci::have_same_orbitals(one));
  for (const auto& [left, right] :
       {std::pair(Spin::alpha, Spin::alpha), {Spin::alpha, Spin::beta}, {Spin::beta, Spin::beta}}) {
    Integrals two = in_blocks(restricted);
    two.set_two(left, 3, 2, right, 1, 0, 0.5);
    EXPECT_FALSE(ci::have_same_orbitals(two));
  }
}

TEST(SameOrbitals, AreNotFoundForIntegralsThatAreNotNumbers) {
  Integrals blocks = in_blocks(random_integrals(4, false, 5, {}));
  blocks.set_one(Spin::beta, 2, 1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(ci::have_same_orbitals(blocks));
}

TEST(MixedIntegrals, AreEqualWhicheverSpinComesFirst) {
  Integrals integrals(4, true, base::Backend::openmp());
  integrals.set_two(Spin::beta, 1, 0, Spin::alpha, 3, 2, 0.25);
  integrals.set_two(Spin::alpha, 2, 0, Spin::beta, 3, 1, 0.5);
  EXPECT_EQ(integrals.two(Spin::alpha, 3, 2, Spin::beta, 1, 0), 0.25);
  EXPECT_EQ(integrals.two(Spin::beta, 0, 1, Spin::alpha, 2, 3), 0.25);
  EXPECT_EQ(integrals.two(Spin::alpha, 1, 0, Spin::beta, 3, 2), 0);
  EXPECT_EQ(integrals.two(Spin::beta, 3, 1, Spin::alpha, 2, 0), 0.5);
  EXPECT_EQ(integrals.two(Spin::beta, 2, 0, Spin::alpha, 3, 1), 0);
}

}  // namespace
}  // namespace cisolve::test

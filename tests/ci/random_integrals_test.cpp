#include "ci/fock/integrals/random_integrals.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "ci/fock/integrals/symmetry.hpp"
#include "tests/ci/hosts.hpp"

namespace cisolve::ci {
namespace {

using test::kSerial;

constexpr Spin kSpins[] = {Spin::alpha, Spin::beta};

TEST(RandomIntegralsTest, HaveEverySymmetryOfRealOrbitals) {
  const Integrals v = random_integrals({.orbitals = 4, .spin_dependent = true, .seed = 3}, kSerial);
  for (const Spin left : kSpins)
    for (const Spin right : kSpins)
      for (int p = 0; p < 4; ++p)
        for (int q = 0; q < 4; ++q)
          for (int r = 0; r < 4; ++r)
            for (int s = 0; s < 4; ++s) {
              const double value = v.two(left, p, q, right, r, s);
              EXPECT_EQ(value, v.two(left, q, p, right, r, s));
              EXPECT_EQ(value, v.two(left, p, q, right, s, r));
              EXPECT_EQ(value, v.two(right, r, s, left, p, q));
            }
  EXPECT_NE(v.two(Spin::alpha, 1, 0, Spin::beta, 3, 2), v.two(Spin::beta, 1, 0, Spin::alpha, 3, 2));
  EXPECT_NE(v.two(Spin::alpha, 1, 0, Spin::alpha, 3, 2), v.two(Spin::beta, 1, 0, Spin::beta, 3, 2));
}

TEST(IntegralsTest, DropWhatIsRoundingOfTheLargest) {
  for (const bool spin_dependent : {false, true}) {
    Integrals v =
        random_integrals({.orbitals = 4, .spin_dependent = spin_dependent, .seed = 3}, kSerial);
    v.set_one(Spin::beta, 3, 3, -10);
    v.set_one(Spin::alpha, 1, 0, -0.9e-13);
    v.set_two(Spin::alpha, 2, 0, Spin::beta, 1, 0, 0.9e-13);
    v.set_two(Spin::beta, 3, 2, Spin::beta, 3, 0, 1.1e-13);
    const double other = v.two(Spin::alpha, 3, 1, Spin::beta, 1, 1);
    EXPECT_EQ(v.drop_noise(), 2);
    EXPECT_EQ(v.one(Spin::alpha, 1, 0), 0);
    EXPECT_EQ(v.two(Spin::alpha, 2, 0, Spin::beta, 1, 0), 0);
    EXPECT_EQ(v.two(Spin::beta, 3, 2, Spin::beta, 3, 0), 1.1e-13);
    EXPECT_EQ(v.two(Spin::alpha, 3, 1, Spin::beta, 1, 1), other);
    EXPECT_EQ(v.drop_noise(), 0);
    v.set_one(Spin::beta, 3, 3, -1e6);
    v.set_one(Spin::alpha, 1, 0, 1e-10);
    EXPECT_EQ(v.drop_noise(), 1);
    EXPECT_EQ(v.one(Spin::alpha, 1, 0), 1e-10);
  }
}

TEST(IntegralsTest, DropWhatTheirIrrepsForbidUpToASize) {
  for (const bool spin_dependent : {false, true}) {
    Integrals v(3, spin_dependent, kSerial);
    v.set_irreps({0, 1, 1});
    v.set_one(Spin::beta, 1, 0, 0.9e-10);
    v.set_one(Spin::alpha, 2, 0, 1.1e-10);
    v.set_one(Spin::alpha, 2, 1, 1e-11);
    v.set_two(Spin::beta, 2, 1, Spin::beta, 1, 0, -0.8e-10);
    v.set_two(Spin::alpha, 1, 0, Spin::alpha, 2, 0, 1e-12);
    v.set_two(Spin::alpha, 0, 0, Spin::beta, 2, 0, 0.7e-10);
    v.set_two(Spin::alpha, 2, 0, Spin::beta, 0, 0, -2e-10);
    EXPECT_EQ(v.drop_forbidden(1e-10), spin_dependent ? 3 : 2);
    EXPECT_EQ(v.one(Spin::beta, 1, 0), 0);
    EXPECT_EQ(v.one(Spin::alpha, 2, 0), 1.1e-10);
    EXPECT_EQ(v.one(Spin::alpha, 2, 1), 1e-11);
    EXPECT_EQ(v.two(Spin::beta, 2, 1, Spin::beta, 1, 0), 0);
    EXPECT_EQ(v.two(Spin::alpha, 1, 0, Spin::alpha, 2, 0), 1e-12);
    EXPECT_EQ(v.two(Spin::alpha, 2, 0, Spin::beta, 0, 0), -2e-10);
    EXPECT_EQ(v.drop_forbidden(1e-10), 0);
  }
}

TEST(RandomIntegralsTest, AreAFunctionOfTheSeed) {
  const Integrals a = random_integrals({.orbitals = 5, .seed = 1}, kSerial);
  const Integrals b = random_integrals({.orbitals = 5, .seed = 1}, base::Backend::openmp(2));
  const Integrals c = random_integrals({.orbitals = 5, .seed = 2}, kSerial);
  EXPECT_EQ(a.two(Spin::alpha, 4, 2, Spin::alpha, 3, 1),
            b.two(Spin::alpha, 4, 2, Spin::alpha, 3, 1));
  EXPECT_NE(a.two(Spin::alpha, 4, 2, Spin::alpha, 3, 1),
            c.two(Spin::alpha, 4, 2, Spin::alpha, 3, 1));
  EXPECT_NEAR(a.one(Spin::alpha, 0, 0), -5, 0.1);
}

TEST(RandomIntegralsTest, KeepTheIrrepsAskedFor) {
  const std::vector<int> irreps = {0, 3, 5, 6, 0};
  const Integrals v = random_integrals({.orbitals = 5, .irreps = irreps}, kSerial);
  EXPECT_EQ(v.irreps(), irreps);
  EXPECT_EQ(largest_broken_integral(v, irreps).size, 0);
  EXPECT_GT(largest_broken_integral(v, std::vector<int>{0, 3, 5, 7, 0}).size, 0.001);
  EXPECT_THROW(random_integrals({.orbitals = 4, .irreps = irreps}, kSerial), base::Error);
}

}  // namespace
}  // namespace cisolve::ci

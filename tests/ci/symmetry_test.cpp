#include "ci/integrals/symmetry.hpp"

#include <gtest/gtest.h>

#include "tests/support/ci_systems.hpp"

// Symmetry is on only where no integral of any spin breaks it.
namespace cisolve::ci {
namespace {

const std::vector<int> kIrreps = {0, 1, 2, 3, 0};

Integrals symmetric_integrals(bool spin_dependent) {
  return test::random_integrals(5, spin_dependent, 31, kIrreps);
}

/// How large the one integral is that breaks the symmetry, after `change` has set it to 0.25.
template <class Change>
double broken_after(bool spin_dependent, Change&& change) {
  Integrals integrals = symmetric_integrals(spin_dependent);
  EXPECT_EQ(largest_broken_integral(integrals, kIrreps).size, 0);
  change(integrals);
  return largest_broken_integral(integrals, kIrreps).size;
}

TEST(Symmetry, IsBrokenByOneIntegralOfAnyBlock) {
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    EXPECT_EQ(broken_after(true, [&](Integrals& i) { i.set_one(spin, 4, 3, 0.25); }), 0.25);
    EXPECT_EQ(broken_after(true, [&](Integrals& i) { i.set_two(spin, 1, 0, spin, 0, 0, 0.25); }),
              0.25);
  }
  EXPECT_EQ(broken_after(false, [](Integrals& i) { i.set_one(Spin::alpha, 1, 0, 0.25); }), 0.25);
  for (const auto& [p, q, r, s] :
       {std::array{1, 0, 4, 4}, {4, 4, 1, 0}, {0, 0, 4, 3}, {2, 1, 2, 2}})
    for (const bool spin_dependent : {false, true})
      EXPECT_EQ(broken_after(
                    spin_dependent,
                    [&](Integrals& i) { i.set_two(Spin::alpha, p, q, Spin::beta, r, s, -0.25); }),
                0.25)
          << p << q << r << s;
}

TEST(Symmetry, OfLinearMoleculesFallsBackOnTheLastDigit) {
  const Integrals integrals = symmetric_integrals(false);
  const std::vector<Index> labels = {1, 12, 23, 4, 31};
  const SymmetryReading reading = read_orbital_symmetry(labels, integrals, {});
  EXPECT_EQ(reading.convention, "linear molecule");
  EXPECT_EQ(reading.labels, kIrreps);
  EXPECT_EQ(reading.warning, "");
}

TEST(Symmetry, HasEightIrrepsAtMost) {
  const Integrals free(5, false, base::Backend::openmp());  // breaks no symmetry
  for (const auto& labels : {std::vector<Index>{1, 2, 3, 4, 9}, {0, 2, 3, 4, 8}}) {
    const SymmetryReading reading = read_orbital_symmetry(labels, free, {});
    EXPECT_EQ(reading.labels, std::vector<int>(5, 0));
    EXPECT_NE(reading.warning.find("of no known convention"), std::string::npos) << reading.warning;
  }
  EXPECT_EQ(read_orbital_symmetry(std::vector<Index>{1, 2, 3, 4, 8}, free, {}).labels,
            (std::vector<int>{0, 1, 2, 3, 7}));
  EXPECT_EQ(read_orbital_symmetry(std::vector<Index>{0, 2, 3, 4, 7}, free, {}).labels,
            (std::vector<int>{0, 2, 3, 4, 7}));
}

TEST(Symmetry, OfMixedSpinsSwitchesTheLabelsOff) {
  Integrals integrals = symmetric_integrals(true);
  const std::vector<Index> labels = {1, 2, 3, 4, 1};
  EXPECT_EQ(read_orbital_symmetry(labels, integrals, {}).convention, "1-based");
  integrals.set_two(Spin::alpha, 1, 0, Spin::beta, 4, 4, 0.25);
  const SymmetryReading off = read_orbital_symmetry(labels, integrals, {});
  EXPECT_EQ(off.convention, "none");
  EXPECT_NE(off.warning.find("integral 2 1 5 5"), std::string::npos) << off.warning;
}

}  // namespace
}  // namespace cisolve::ci

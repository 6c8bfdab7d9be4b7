#include "ci/fock/strings/string.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/random.hpp"
#include "ci/hamiltonian/rows/slater_condon.hpp"

namespace cisolve::ci {
namespace {

// Orbitals next to word boundaries, which would expose a shift by 64 or a lost top bit.
const std::vector<int> kBorders = {0, 1, 62, 63, 64, 65, 126, 127, 128, 190, 191, 192, 254, 255};

TEST(String, MasksEndAtTheirOrbital) {
  for (int p = 0; p <= 256; ++p) {
    const String mask = String::below(p);
    EXPECT_EQ(mask.count(), p);
    for (int q = 0; q < 256; ++q) ASSERT_EQ(mask.has(q), q < p);
  }
}

TEST(String, CountsElectronsBetweenAnyTwoOrbitals) {
  String string;
  std::set<int> orbitals;
  base::RandomStream random(5);
  for (int i = 0; i < 120; ++i) orbitals.insert(static_cast<int>(random.below(256)));
  orbitals.insert(kBorders.begin(), kBorders.end());
  for (const int p : orbitals) string = string.with(p);
  for (int p = 0; p < 256; ++p)
    for (int q = 0; q < 256; ++q) {
      int expected = 0;
      for (const int k : orbitals) expected += k > std::min(p, q) && k < std::max(p, q) ? 1 : 0;
      ASSERT_EQ(count_between(string, p, q), expected) << p << " " << q;
    }
}

TEST(String, ListsItsOrbitalsAcrossWords) {
  const String string = String::of(kBorders);
  EXPECT_EQ(string.orbitals(), kBorders);
  EXPECT_EQ(string.count(), std::ssize(kBorders));
  for (const int p : kBorders) EXPECT_FALSE(string.without(p).has(p));
}

TEST(String, IsOrderedByValue) {
  for (std::size_t i = 0; i < kBorders.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_LT(String::of({kBorders[j]}), String::of({kBorders[i]}));
      EXPECT_LT(String::below(kBorders[i]), String::of({kBorders[i]}));
    }
}

TEST(String, LevelsCountTheElectronsThatMoved) {
  EXPECT_EQ(excitation_level(String::of({0, 63, 64}), String::of({0, 127, 128})), 2);
  EXPECT_EQ(excitation_level(String::of({0, 63}), String::of({0, 63})), 0);
}

}  // namespace
}  // namespace cisolve::ci

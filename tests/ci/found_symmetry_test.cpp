#include "ci/integrals/found_symmetry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "ci/integrals/symmetry.hpp"
#include "tests/support/ci_systems.hpp"

// Symmetries that no file names are those of the integrals, and all of them.
namespace cisolve::ci {
namespace {

/// All ways to call orbitals odd under which no integral is, orbital 1 even: tried one by one.
std::set<unsigned> parities_of(const Integrals& integrals) {
  const int n = integrals.orbitals();
  std::set<unsigned> allowed;
  for (unsigned odd = 0; odd < 1U << n; odd += 2) {
    const auto parity = [&](int p) { return static_cast<int>(odd >> p & 1); };
    std::vector<int> labels;
    for (int p = 0; p < n; ++p) labels.push_back(parity(p));
    if (largest_broken_integral(integrals, labels).size <= kFoundTolerance) allowed.insert(odd);
  }
  return allowed;
}

/// The parities that a choice of the bits of labels makes.
std::set<unsigned> parities_of(const std::vector<int>& labels) {
  std::set<unsigned> made;
  for (int bits = 0; bits < 8; ++bits) {
    unsigned odd = 0;
    for (std::size_t p = 0; p < labels.size(); ++p)
      odd |= static_cast<unsigned>(std::popcount(static_cast<unsigned>(labels[p] & bits)) % 2) << p;
    made.insert(odd);
  }
  return made;
}

void expect_all_found(const Integrals& integrals) {
  const FoundSymmetry found = find_symmetry(integrals);
  const std::set<unsigned> allowed = parities_of(integrals);
  const std::set<unsigned> made = parities_of(found.labels);
  EXPECT_TRUE(std::ranges::includes(allowed, made));
  EXPECT_EQ(made.size() << found.left_out, allowed.size());
}

/// Whether orbitals of one label by the first have one label by the second.
bool divides(const std::vector<int>& found, const std::vector<int>& named) {
  for (std::size_t p = 0; p < found.size(); ++p)
    for (std::size_t q = 0; q < p; ++q)
      if (found[p] == found[q] && named[p] != named[q]) return false;
  return true;
}

Integrals free_orbitals(int orbitals, bool spin_dependent) {
  return {orbitals, spin_dependent, base::Backend::openmp()};
}

TEST(FoundSymmetry, IsThatOfTheIntegralsInAnyUnit) {
  const Integrals whole = test::random_integrals(5, false, 3, {});
  Integrals tiny = free_orbitals(5, false);
  constexpr double kUnit = 1e-12;
  for (int p = 0; p < 5; ++p)
    for (int q = 0; q <= p; ++q) {
      tiny.set_one(Spin::alpha, p, q, kUnit * whole.one(Spin::alpha, p, q));
      for (int r = 0; r < 5; ++r)
        for (int s = 0; s <= r; ++s)
          tiny.set_two(Spin::alpha, p, q, Spin::alpha, r, s,
                       kUnit * whole.two(Spin::alpha, p, q, Spin::alpha, r, s));
    }
  EXPECT_EQ(find_symmetry(tiny).labels, find_symmetry(whole).labels);
  tiny.set_irreps({0, 1, 0, 1, 0});
  EXPECT_EQ(tiny.drop_forbidden(found_tolerance(tiny)), 0);
}

TEST(FoundSymmetry, IsAllThatIntegralsHave) {
  const std::vector<std::vector<int>> cases = {{0, 0, 0, 0, 0, 0},
                                               {0, 1, 0, 1, 1},
                                               {0, 1, 2, 3, 0, 2},
                                               {3, 1, 1, 0, 3},
                                               {0, 1, 2, 3, 4, 5, 6},
                                               {5, 5, 5},
                                               {0},
                                               {0, 1, 2, 4, 0, 1, 2}};
  unsigned seed = 40;
  for (const std::vector<int>& labels : cases)
    for (const bool spin_dependent : {false, true}) {
      const auto n = static_cast<int>(labels.size());
      const Integrals integrals = test::random_integrals(n, spin_dependent, ++seed, labels);
      expect_all_found(integrals);
      EXPECT_TRUE(divides(find_symmetry(integrals).labels, labels));
    }
}

/// Few integrals of any kind, so that symmetries of all numbers are met.
TEST(FoundSymmetry, IsAllThatFewIntegralsHave) {
  std::mt19937_64 random(77);
  std::set<int> left_out;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 2 + trial % 7;
    const auto any = [&] { return static_cast<int>(random() % n); };
    Integrals integrals = free_orbitals(n, trial % 2 == 1);
    for (int count = 0; count < trial % 5; ++count) {
      const Spin left = random() % 2 == 0 ? Spin::alpha : Spin::beta;
      const Spin right = random() % 2 == 0 ? Spin::alpha : Spin::beta;
      if (random() % 3 == 0)
        integrals.set_one(left, any(), any(), 0.5);
      else
        integrals.set_two(left, any(), any(), right, any(), any(), -0.5);
    }
    expect_all_found(integrals);
    left_out.insert(find_symmetry(integrals).left_out);
  }
  EXPECT_GT(left_out.size(), 3U);
}

TEST(FoundSymmetry, HeedsEachKindOfIntegral) {
  using Change = std::function<void(Integrals&)>;
  const auto found_after = [](const Change& change) {
    Integrals integrals = free_orbitals(2, true);
    change(integrals);
    return find_symmetry(integrals).labels;
  };
  const std::vector<int> none = {0, 0};
  EXPECT_EQ(found_after([](Integrals&) {}), (std::vector<int>{0, 1}));
  for (const Spin s : {Spin::alpha, Spin::beta}) {
    EXPECT_EQ(found_after([&](Integrals& i) { i.set_one(s, 0, 1, 1); }), none);
    EXPECT_EQ(found_after([&](Integrals& i) { i.set_two(s, 0, 1, s, 0, 0, 1); }), none);
    EXPECT_EQ(found_after([&](Integrals& i) { i.set_two(s, 1, 1, s, 0, 1, 1); }), none);
    EXPECT_EQ(found_after([&](Integrals& i) { i.set_two(s, 0, 1, other(s), 1, 1, 1); }), none);
    EXPECT_EQ(found_after([&](Integrals& i) { i.set_two(s, 0, 1, s, 0, 1, 1); }),
              (std::vector<int>{0, 1}));
  }
}

TEST(FoundSymmetry, TakesRoundingForNothing) {
  Integrals integrals = free_orbitals(2, false);
  integrals.set_one(Spin::alpha, 0, 0, -2);
  integrals.set_one(Spin::alpha, 1, 0, -1e-10);
  EXPECT_EQ(find_symmetry(integrals).labels, (std::vector<int>{0, 1}));
  integrals.set_one(Spin::alpha, 1, 0, -1.001e-10);
  EXPECT_EQ(find_symmetry(integrals).labels, (std::vector<int>{0, 0}));
}

/// Pairs of electrons that hop as such: the parity of each orbital is kept.
TEST(FoundSymmetry, OfManyKeepsThreeThatDivideOrbitalsEvenly) {
  for (const int n : {8, 16, 100}) {
    Integrals integrals = free_orbitals(n, false);
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q) integrals.set_two(Spin::alpha, p, q, Spin::alpha, p, q, 0.1);
    const FoundSymmetry found = find_symmetry(integrals);
    EXPECT_EQ(found.left_out, n - 1 - 3);
    EXPECT_EQ(found.labels.front(), 0);
    for (int label = 0; label < 8; ++label)
      EXPECT_LE(std::abs(8 * std::ranges::count(found.labels, label) - n), 8) << n << ' ' << label;
  }
}

/// The numbers of irreps are the same however integrals came about, and the first other is 2.
TEST(FoundSymmetry, IsNumberedByTheFirstOrbitals) {
  const std::vector<int> labels = {3, 3, 1, 3, 0, 2, 1};
  const Integrals integrals = test::random_integrals(7, false, 5, labels);
  EXPECT_EQ(find_symmetry(integrals).labels, (std::vector<int>{0, 0, 1, 0, 2, 3, 1}));
}

TEST(FoundSymmetry, ReachesTheLastOfTheMostOrbitals) {
  Integrals integrals = free_orbitals(129, false);
  for (int p = 1; p < 128; ++p) integrals.set_one(Spin::alpha, p, p - 1, 1);
  EXPECT_EQ(find_symmetry(integrals).labels.back(), 1);
  EXPECT_EQ(std::ranges::count(find_symmetry(integrals).labels, 0), 128);
  integrals.set_two(Spin::alpha, 128, 127, Spin::alpha, 0, 0, 1);
  EXPECT_EQ(std::ranges::count(find_symmetry(integrals).labels, 0), 129);
}

}  // namespace
}  // namespace cisolve::ci

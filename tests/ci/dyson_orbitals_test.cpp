#include "ci/properties/dyson_orbitals.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/vectors.hpp"

// Dyson orbitals against those of determinants that are looked up one by one.
namespace cisolve::ci {
namespace {

using base::MultiVector;
using test::kHost;
using test::kSerial;

/// Two spaces of one kind, the first with one electron of a spin fewer than the second.
struct SpacePair {
  std::string name;
  Space fewer;
  Space more;
};

/// -1 if an odd number of creators stand to the left of that of orbital q; all alpha ones come
/// first.
double sign_before(const Determinant& determinant, Spin spin, int q) {
  int passed = spin == Spin::beta ? determinant.alpha.count() : 0;
  for (const int p : determinant[spin].orbitals()) passed += p < q ? 1 : 0;
  return passed % 2 == 0 ? 1 : -1;
}

std::vector<double> by_determinants(const Space& fewer, const MultiVector& x, const Space& more,
                                    const MultiVector& y, Spin spin) {
  const int n = more.orbitals();
  std::vector<double> found(static_cast<std::size_t>(x.columns() * y.columns() * n), 0.0);
  for (Index row = 0; row < more.dimension(); ++row) {
    const Determinant here = more.determinant(row);
    for (const int q : here[spin].orbitals()) {
      Determinant there = here;
      (spin == Spin::alpha ? there.alpha : there.beta) = here[spin].without(q);
      const auto place = fewer.row_of(there);
      if (!place) continue;
      for (int j = 0; j < y.columns(); ++j)
        for (int i = 0; i < x.columns(); ++i)
          found[static_cast<std::size_t>((j * x.columns() + i) * n + q)] +=
              sign_before(here, spin, q) * x(*place, i) * y(row, j);
    }
  }
  return found;
}

std::vector<Determinant> reference_of(const char* text, int orbitals) {
  return {parse_determinant(text, orbitals)};
}

/// Some of the determinants of full CI, with gaps of several sizes.
Space some_of(const Sector& sector, Index offset) {
  const Space all = full_ci(sector, kHost);
  std::vector<Determinant> list;
  for (Index row = 0; row < all.dimension(); ++row)
    if ((row * row + offset) % 7 < 4) list.push_back(all.determinant(row));
  return list_space(sector, list, kHost);
}

/// Strings around the border of two words.
Space beyond_a_word(int alpha, int beta) {
  const Space inner = full_ci({5, alpha, beta}, kHost);
  std::vector<Determinant> list;
  const auto moved = [](const String& string) {
    String found;
    string.for_each([&](int p) { found = found.with(61 + p); });
    return found;
  };
  for (Index row = 0; row < inner.dimension(); ++row) {
    const Determinant one = inner.determinant(row);
    list.push_back({moved(one.alpha), moved(one.beta)});
  }
  return list_space({66, alpha, beta}, list, kHost);
}

std::vector<SpacePair> space_pairs() {
  std::vector<SpacePair> all;
  const auto add = [&](const char* name, Space fewer, Space more) {
    all.push_back({name, std::move(fewer), std::move(more)});
  };
  add("full CI, alpha", full_ci({6, 2, 3}, kHost), full_ci({6, 3, 3}, kHost));
  add("full CI, beta", full_ci({6, 3, 2}, kHost), full_ci({6, 3, 3}, kHost));
  add("to no alpha electron", full_ci({4, 0, 2}, kHost), full_ci({4, 1, 2}, kHost));
  add("to no beta electron", full_ci({4, 1, 0}, kHost), full_ci({4, 1, 1}, kHost));
  add("truncated, alpha",
      excited_space({6, 2, 3}, reference_of("22d000", 6), levels_up_to(2), kHost),
      excited_space({6, 3, 3}, reference_of("222000", 6), levels_up_to(2), kHost));
  add("truncated, beta",
      excited_space({6, 3, 2}, reference_of("22u000", 6), levels_up_to(2), kHost),
      excited_space({6, 3, 3}, reference_of("222000", 6), levels_up_to(2), kHost));
  add("lists, alpha", some_of({6, 2, 2}, 0), some_of({6, 3, 2}, 1));
  add("lists, beta", some_of({6, 3, 1}, 2), some_of({6, 3, 2}, 1));
  add("a list in full CI", some_of({6, 2, 2}, 1), full_ci({6, 2, 3}, kHost));
  add("two words, alpha", beyond_a_word(1, 2), beyond_a_word(2, 2));
  add("two words, beta", beyond_a_word(2, 1), beyond_a_word(2, 2));
  return all;
}

TEST(DysonOrbitals, AreThoseOfDeterminantsOneByOne) {
  for (const auto& [name, fewer, more] : space_pairs()) {
    SCOPED_TRACE(name);
    const MultiVector x = test::random_states(fewer.dimension(), 2);
    const MultiVector y = test::random_states(more.dimension(), 3);
    const auto spin = spin_between(fewer, more);
    ASSERT_TRUE(spin);
    const auto found = dyson_orbitals(fewer, x.block(), more, y.block(), *spin);
    const auto expected = by_determinants(fewer, x, more, y, *spin);
    ASSERT_EQ(found.size(), expected.size());
    double norm = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k], expected[k], 1e-13) << k;
      norm += expected[k] * expected[k];
    }
    EXPECT_GT(norm, 1e-3);
  }
}

TEST(DysonOrbitals, OfASpaceAndItsIonsHoldAllElectrons) {
  // Full CI of the ion is complete: the pole strengths of a state add up to its electrons.
  const Space more = full_ci({5, 3, 2}, kHost);
  const Space fewer = full_ci({5, 2, 2}, kHost);
  MultiVector x(kHost, fewer.dimension(), static_cast<int>(fewer.dimension()));
  for (Index row = 0; row < fewer.dimension(); ++row)
    for (int j = 0; j < x.columns(); ++j) x(row, j) = row == j ? 1 : 0;
  const MultiVector y = test::random_states(more.dimension(), 1);
  const auto found = dyson_orbitals(fewer, std::as_const(x).block(), more, y.block(), Spin::alpha);
  double sum = 0;
  for (const double value : found) sum += value * value;
  EXPECT_NEAR(sum, 3, 1e-12);
}

TEST(DysonOrbitals, AreTheSameBitsOnAnyNumberOfThreads) {
  const auto orbitals = [](const base::Backend& host) {
    const Space fewer = full_ci({8, 3, 4}, host);
    const Space more = full_ci({8, 4, 4}, host);
    const MultiVector x = test::random_states(fewer.dimension(), 2);
    const MultiVector y = test::random_states(more.dimension(), 2);
    return dyson_orbitals(fewer, x.block(), more, y.block(), Spin::alpha);
  };
  EXPECT_EQ(orbitals(kSerial), orbitals(base::Backend::by_name("openmp", 3, {0, 0})));
}

TEST(DysonOrbitals, NeedSpacesThatDifferByOneElectron) {
  const Space space = full_ci({4, 2, 2}, kHost);
  EXPECT_FALSE(spin_between(space, space));
  EXPECT_FALSE(spin_between(full_ci({4, 1, 1}, kHost), space));
  EXPECT_FALSE(spin_between(full_ci({4, 1, 3}, kHost), space));
  EXPECT_EQ(spin_between(full_ci({4, 1, 2}, kHost), space), Spin::alpha);
  EXPECT_EQ(spin_between(full_ci({4, 2, 1}, kHost), space), Spin::beta);
}

}  // namespace
}  // namespace cisolve::ci

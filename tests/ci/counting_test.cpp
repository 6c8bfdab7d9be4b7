#include "ci/fock/counting/counting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "base/random.hpp"
#include "tests/support/spectrum.hpp"

namespace cisolve::ci {
namespace {

using test::all_determinants;

/// Water in 6-31G(d), six Cartesian d functions: 10 a1, 1 a2, 3 b1 and 5 b2 orbitals, as XOR
/// labels.
std::vector<int> water_irreps() {
  std::vector<int> irreps(10, 0);
  irreps.push_back(3);
  irreps.insert(irreps.end(), 3, 1);
  irreps.insert(irreps.end(), 5, 2);
  return irreps;
}

TEST(CountingTest, GivesTableOneOfThePaper) {
  const Sector water{19, 5, 5};
  const std::array<Index, 10> csfs = {71,      2556,     42596,    391126,   2114666,
                                      7147876, 15836556, 24490201, 29044751, 30046752};
  for (int level = 1; level <= 10; ++level)
    EXPECT_EQ(count_excited_csfs(water, aufbau(5, 5), levels_up_to(level), 0), csfs[level - 1])
        << "level " << level;
  EXPECT_EQ(count_full_ci_csfs(water, 0), csfs[9]);
}

TEST(CountingTest, MatchesTheTotallySymmetricSingletsOfThePaper) {
  const Sector water{19, 5, 5, water_irreps(), 0};
  EXPECT_EQ(count_full_ci_csfs(water, 0), 7536400);
  EXPECT_EQ(count_excited_csfs(water, aufbau(5, 5), levels_up_to(10), 0), 7536400);
}

TEST(CountingTest, MatchesTheDeterminantsOverAllSpinsOfThePaper) {
  BigCount determinants;
  BigCount functions;
  for (int alpha = 0; alpha <= 10; ++alpha)
    determinants += count_full_ci({19, alpha, 10 - alpha}).determinants;
  for (int twice_spin = 0; twice_spin <= 10; ++twice_spin)
    functions += count_full_ci_csfs({19, 5, 5}, twice_spin) * BigCount(twice_spin + 1);
  EXPECT_EQ(determinants, 472733756);
  EXPECT_EQ(functions, 472733756);
}

TEST(CountingTest, GivesTheReferenceCasesSizes) {
  const auto cisd = count_excited_space({24, 5, 5}, aufbau(5, 5), levels_up_to(2));
  EXPECT_EQ(cisd.determinants, 12636);
  EXPECT_NEAR(cisd.pattern.to_double(), 11.2e6, 0.05e6);
  EXPECT_EQ(count_excited_space({24, 5, 5}, aufbau(5, 5), levels_up_to(3)).determinants, 356916);
  EXPECT_EQ(count_full_ci({16, 5, 5}).determinants, 19079424);
  const std::vector<int> c2 = {4, 0, 2, 4, 6, 4, 0, 0, 4, 0, 6, 2, 4,
                               0, 6, 2, 1, 5, 1, 5, 1, 5, 3, 7, 0, 4};
  EXPECT_EQ(count_full_ci({26, 4, 4, c2}).determinants, 223502500);
  EXPECT_EQ(count_full_ci({26, 4, 4, c2, 0}).determinants, 27944940);
}

/// Weyl-Paldus formula: (2S + 1) / (n + 1) C(n + 1, N / 2 - S) C(n + 1, n - N / 2 - S).
TEST(CountingTest, AgreesWithTheFormulaOfWeylAndPaldus) {
  for (const int n : {1, 4, 9, 16})
    for (int alpha = 0; alpha <= n; ++alpha)
      for (int beta = 0; beta <= alpha; ++beta) {
        const std::vector<BigCount> choices = binomials(n + 1);
        const int twice_spin = alpha - beta;
        EXPECT_EQ(count_full_ci_csfs({n, alpha, beta}, twice_spin) * BigCount(n + 1),
                  choices[beta] * choices[n - alpha] * BigCount(twice_spin + 1));
      }
}

/// Brute-force counts of a set of determinants.
struct Tally {
  Index determinants = 0;
  Index pattern = 0;
};

template <class Allowed>
Tally tally(const Sector& sector, Allowed allowed) {
  std::vector<Determinant> members;
  std::vector<int> irreps;
  for (const Determinant& d :
       all_determinants(sector.orbitals, sector.alpha_electrons, sector.beta_electrons)) {
    const int irrep = sector.irreps.empty()
                          ? 0
                          : irrep_of(d.alpha, sector.irreps) ^ irrep_of(d.beta, sector.irreps);
    if (!allowed(d) || (sector.irrep && *sector.irrep != irrep)) continue;
    members.push_back(d);
    irreps.push_back(irrep);
  }
  Tally result{std::ssize(members), 0};
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = 0; j < members.size(); ++j)
      if (irreps[i] == irreps[j] && excitation_level(members[i], members[j]) <= 2) ++result.pattern;
  return result;
}

void expect_tally(const SpaceCount& count, const Tally& tally) {
  EXPECT_EQ(count.determinants, tally.determinants);
  EXPECT_EQ(count.pattern, tally.pattern);
}

std::vector<Sector> small_sectors() {
  std::vector<Sector> sectors;
  const std::vector<std::vector<int>> labels = {
      {}, {0, 1, 0, 1, 1, 0}, {0, 1, 2, 3, 0, 2}, {0, 5, 6, 3, 7, 1}};
  const std::array<std::array<int, 2>, 4> electrons = {{{3, 3}, {4, 1}, {2, 0}, {6, 2}}};
  for (const auto& irreps : labels)
    for (const auto& [alpha, beta] : electrons) {
      sectors.push_back({6, alpha, beta, irreps, std::nullopt});
      for (const int irrep : {0, 1, 6})
        if (!irreps.empty()) sectors.push_back({6, alpha, beta, irreps, irrep});
    }
  return sectors;
}

TEST(CountingTest, CountsFullCiAsBruteForceDoes) {
  for (const Sector& sector : small_sectors())
    expect_tally(count_full_ci(sector), tally(sector, [](const Determinant&) { return true; }));
}

TEST(CountingTest, CountsExcitedSpacesAsBruteForceDoes) {
  const std::vector<std::vector<int>> kinds = {{0},       {0, 1}, {0, 2},
                                               {0, 1, 2}, {1, 3}, {0, 1, 2, 3, 4}};
  base::RandomStream random(7);
  for (const Sector& sector : small_sectors()) {
    const auto all =
        all_determinants(sector.orbitals, sector.alpha_electrons, sector.beta_electrons);
    const Determinant reference = all[random.below(all.size())];
    for (const auto& levels : kinds)
      expect_tally(
          count_excited_space(sector, reference, levels), tally(sector, [&](const Determinant& d) {
            return std::ranges::find(levels, excitation_level(reference, d)) != levels.end();
          }));
  }
}

TEST(CountingTest, CountsRestrictedActiveSpacesAsBruteForceDoes) {
  for (const Sector& sector : small_sectors())
    for (const RasLimits& limits : {RasLimits{{0, 1}, {4, 5}, 2, 1}, RasLimits{{0, 3}, {2}, 1, 2},
                                    RasLimits{{}, {5}, 0, 1}}) {
      const String ras1 = String::of(limits.ras1);
      const String ras3 = String::of(limits.ras3);
      expect_tally(count_restricted_active_space(sector, limits),
                   tally(sector, [&](const Determinant& d) {
                     const int holes = (ras1 - d.alpha).count() + (ras1 - d.beta).count();
                     const int particles = (ras3 & d.alpha).count() + (ras3 & d.beta).count();
                     return holes <= limits.holes && particles <= limits.particles;
                   }));
    }
}

/// CSFs of spin S are counted by the determinants with Ms = S less those with Ms = S + 1, if the
/// space is the same for every Ms.
TEST(CountingTest, CsfsAreTheDifferenceOfTwoDeterminantCounts) {
  const RasLimits limits{{0, 1}, {4, 5}, 2, 3};
  const std::vector<int> irreps = {0, 1, 2, 3, 0, 2};
  for (const std::optional<int> irrep : {std::optional<int>(), std::optional<int>(2)})
    for (int twice_spin = 0; twice_spin <= 4; twice_spin += 2) {
      const int up = 3 + twice_spin / 2;
      const Sector low{6, up, 6 - up, irreps, irrep};
      const Sector high{6, up + 1, 5 - up, irreps, irrep};
      const auto difference = [&](auto count) {
        return up == 6 ? count(low).determinants
                       : count(low).determinants - count(high).determinants;
      };
      EXPECT_EQ(count_full_ci_csfs(low, twice_spin), difference(count_full_ci));
      EXPECT_EQ(
          count_restricted_active_csfs(low, limits, twice_spin),
          difference([&](const Sector& s) { return count_restricted_active_space(s, limits); }));
    }
}

TEST(CountingTest, CountsCsfsOfAnOpenShellReference) {
  // One electron in the second of three orbitals: levels 0 and 1 are all of its doublets.
  const Determinant reference = parse_determinant("0u0", 3);
  EXPECT_EQ(count_excited_csfs({3, 1, 0}, reference, levels_up_to(0), 1), 1);
  EXPECT_EQ(count_excited_csfs({3, 1, 0}, reference, levels_up_to(1), 1), 3);
  // Two open shells: one triplet at level 0; level 1 empties the first for the third.
  const Determinant triplet = parse_determinant("uu0", 3);
  EXPECT_EQ(count_excited_csfs({3, 2, 0}, triplet, levels_up_to(0), 2), 1);
  EXPECT_EQ(count_excited_csfs({3, 2, 0}, triplet, levels_up_to(1), 2), 3);
  EXPECT_EQ(count_excited_csfs({3, 2, 0}, triplet, levels_up_to(2), 0), 6);
}

TEST(CountingTest, MultiReferenceBoundIsExactForOneReferenceAndCappedByTheSector) {
  const Sector sector{6, 3, 3};
  const std::vector<int> levels = levels_up_to(2);
  const std::vector<Determinant> one = {aufbau(3, 3)};
  const std::vector<Determinant> many(100, aufbau(3, 3));
  EXPECT_EQ(multi_reference_upper_bound(sector, one, levels),
            count_excited_space(sector, one[0], levels).determinants);
  EXPECT_EQ(multi_reference_upper_bound(sector, many, levels), 400);
}

TEST(CountingTest, CountsTheLargestSpacesExactlyAndAtOnce) {
  std::vector<int> irreps(256);
  for (int p = 0; p < 256; ++p) irreps[p] = p % 8;
  const auto begin = std::chrono::steady_clock::now();
  BigCount sum;
  BigCount pattern;
  for (int irrep = 0; irrep < 8; ++irrep) {
    const SpaceCount count = count_full_ci({256, 40, 40, irreps, irrep});
    sum += count.determinants;
    pattern += count.pattern;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const SpaceCount all = count_full_ci({256, 40, 40, irreps, std::nullopt});
  EXPECT_EQ(sum, binomials(256)[40] * binomials(256)[40]);
  EXPECT_EQ(all.determinants, sum);
  EXPECT_EQ(all.pattern, pattern);
  EXPECT_EQ(binomials(256)[128].to_string(),
            "576865882344920633808974835786228688774021170197516203260843656726451875"
            "0790");
  RecordProperty("seconds", std::to_string(seconds.count()));
}

TEST(CountingTest, RefusesImpossibleSpaces) {
  EXPECT_THROW(count_full_ci({0, 0, 0}), base::Error);
  EXPECT_THROW(count_full_ci({257, 1, 1}), base::Error);
  EXPECT_THROW(count_full_ci({4, 5, 1}), base::Error);
  EXPECT_THROW(count_full_ci({4, 1, 1, {0, 1}}), base::Error);
  EXPECT_THROW(count_excited_space({4, 1, 1}, aufbau(2, 1), levels_up_to(1)), base::Error);
  EXPECT_THROW(count_restricted_active_space({4, 1, 1}, {{0}, {0}, 1, 1}), base::Error);
}

TEST(BigCountTest, KeepsEveryDigit) {
  BigCount power(1);
  for (int i = 0; i < 60; ++i) power = power * BigCount(10);
  EXPECT_EQ(power.to_string(), "1" + std::string(60, '0'));
  EXPECT_DOUBLE_EQ(power.to_double(), 1e60);
  EXPECT_EQ((power - BigCount(1)).to_string(), std::string(60, '9'));
  EXPECT_FALSE(power.to_index());
  EXPECT_EQ(BigCount(INT64_MAX).to_index(), INT64_MAX);
  EXPECT_FALSE((BigCount(INT64_MAX) + BigCount(1)).to_index());
  EXPECT_EQ(BigCount(-3) + BigCount(5), BigCount(2));
  EXPECT_EQ((power * power).shifted_right(3) * BigCount(8), power * power);
  EXPECT_EQ(BigCount().to_string(), "0");
}

TEST(BigCountTest, HandlesAnySizeAndSign) {
  BigCount power(1);
  for (int i = 0; i < 240; ++i) power = power * BigCount(10);  // 798 bits
  EXPECT_EQ(power.to_string(), "1" + std::string(240, '0'));
  EXPECT_DOUBLE_EQ(power.to_double(), 1e240);
  const BigCount below = BigCount(2) - power;
  EXPECT_TRUE(below < BigCount(-1) && BigCount(-1) < BigCount(0) && BigCount(0) < power);
  EXPECT_FALSE(power < power);
  EXPECT_FALSE(below.to_index());
  EXPECT_FALSE(BigCount(-3).to_index());
  EXPECT_EQ(BigCount(0).to_index(), 0);
  EXPECT_EQ(below + power, 2);
}

TEST(BigCountTest, CopiesAreIndependent) {
  BigCount first(5);
  BigCount second = first;
  second += first;
  first = second;
  first -= BigCount(1);
  EXPECT_EQ(first, 9);
  EXPECT_EQ(second, 10);
  EXPECT_TRUE((first - BigCount(9)).is_zero());
}

}  // namespace
}  // namespace cisolve::ci

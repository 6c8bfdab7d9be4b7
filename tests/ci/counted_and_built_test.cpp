#include <gtest/gtest.h>

#include "ci/fock/counting/counting.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "sparse/rows/build.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/ci_systems.hpp"

// Counting and building share no code; each checks the other.
namespace cisolve::ci {
namespace {

using test::kHost;

std::vector<Sector> counted_sectors() {
  const std::vector<int> irreps = {0, 1, 2, 0, 3, 1, 2};
  return {{7, 3, 3}, {7, 4, 1}, {7, 3, 2, irreps, 0}, {7, 3, 3, irreps, 3}};
}

void expect_count(const Space& space, const Sector& sector, const SpaceCount& count) {
  EXPECT_EQ(BigCount(space.dimension()), count.determinants);
  // Random integrals have no accidental zeros, so the whole pattern is stored.
  const Integrals integrals = test::random_integrals(sector.orbitals, false, 23, sector.irreps);
  const Partition canonical(kHost);
  const HamiltonianRows rows(space, integrals, canonical);
  EXPECT_EQ(BigCount(sparse::total(sparse::row_lengths(rows, kHost).span())), count.pattern);
}

TEST(CountedAndBuilt, AgreeForFullCi) {
  for (const Sector& sector : counted_sectors())
    expect_count(full_ci(sector, kHost), sector, count_full_ci(sector));
}

TEST(CountedAndBuilt, AgreeForExcitedSpaces) {
  for (const Sector& sector : counted_sectors()) {
    const Determinant reference = aufbau(sector.alpha_electrons, sector.beta_electrons);
    for (const std::vector<int>& levels :
         {std::vector{0, 1}, std::vector{0, 2}, std::vector{0, 1, 2}, std::vector{0, 1, 2, 3}}) {
      const SpaceCount count = count_excited_space(sector, reference, levels);
      if (count.determinants.is_zero()) continue;  // an empty space is refused
      expect_count(excited_space(sector, std::span(&reference, 1), levels, kHost), sector, count);
    }
  }
}

TEST(CountedAndBuilt, AgreeForRestrictedActiveSpaces) {
  const RasLimits limits{{0, 1}, {5, 6}, 2, 1};
  for (const Sector& sector : counted_sectors())
    expect_count(restricted_active_space(sector, limits, kHost), sector,
                 count_restricted_active_space(sector, limits));
}

}  // namespace
}  // namespace cisolve::ci

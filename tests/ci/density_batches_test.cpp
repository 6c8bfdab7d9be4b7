#include "ci/properties/density_batches.hpp"

#include <gtest/gtest.h>

#include "tests/ci/mixed_densities.hpp"
#include "tests/support/computed_products.hpp"

// Opposite-spin densities by batches of alpha strings, compared with MixedDensity.
namespace cisolve::ci {
namespace {

/// Spaces of every kind with few enough orbitals for a matrix over all orbital pairs.
std::vector<test::NamedHamiltonian> with_batches() {
  const base::Backend host = base::Backend::openmp();
  const std::vector<int> irreps = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1};
  std::vector<test::NamedHamiltonian> all;
  for (test::NamedHamiltonian& named : test::hamiltonians())
    if (named.space->orbitals() < 12) all.push_back(std::move(named));
  all.push_back(test::named("eight irreps", test::random_integrals(10, false, 5, irreps),
                            full_ci({10, 4, 4, irreps, 3}, host)));
  all.push_back(test::named("a batch and one", test::random_integrals(9, false, 5, {}),
                            full_ci({9, 1, 3}, host)));
  return all;
}

TEST(DensityBatches, AgreeWithOneExcitationAtATime) {
  for (const test::NamedHamiltonian& named : with_batches()) {
    SCOPED_TRACE(named.name);
    test::expect_what_moves_give<DensityBatches>(*named.space);
  }
}

TEST(DensityBatches, HaveTheSameBitsForEveryNumberOfThreads) {
  test::expect_same_bits<DensityBatches>(full_ci({9, 4, 5}, base::Backend::reference()),
                                         full_ci({9, 4, 5}, base::Backend::openmp()));
}

TEST(DensityBatches, AreUsedForSpacesWithFewLists) {
  const base::Backend host = base::Backend::openmp();
  EXPECT_TRUE(DensityBatches::suit(full_ci({10, 5, 5}, host)));
  EXPECT_TRUE(DensityBatches::suit(full_ci({10, 5, 5, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1}, 1}, host)));
  EXPECT_FALSE(DensityBatches::suit(full_ci({3, 0, 0}, host)));
  EXPECT_FALSE(DensityBatches::suit(full_ci({40, 1, 1}, host)));
  EXPECT_FALSE(DensityBatches::suit(test::own_lists({9, 3, 4}, 63)));
}

}  // namespace
}  // namespace cisolve::ci

#include "ci/properties/scattered_density.hpp"

#include <gtest/gtest.h>

#include "tests/ci/mixed_densities.hpp"
#include "tests/support/computed_products.hpp"

// Opposite-spin densities by marked excitations, compared with MixedDensity.
namespace cisolve::ci {
namespace {

/// 78 alpha strings: the last has all 1,287 beta strings, more than are marked at once; the one
/// before it has a single one, whose few excitations are looked up in that long list; the others
/// have one eighth each.
Space one_long_list(const base::Backend& host) {
  const Sector sector{13, 2, 5};
  const Space full = full_ci(sector, host);
  std::vector<Determinant> list;
  std::uint64_t random = 1;
  for (Index row = 0; row < full.dimension(); ++row) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const Space::Place place = full.place_of(row);
    const bool is_there = place.alpha == 76 ? place.beta == 700 : random >> 61 == 0;
    if (place.alpha == 77 || is_there) list.push_back(full.determinant(row));
  }
  return list_space(sector, list, host);
}

TEST(ScatteredDensity, AgreesWithOneExcitationAtATime) {
  for (const test::NamedHamiltonian& named : test::all_kinds()) {
    SCOPED_TRACE(named.name);
    if (named.space->orbitals() < 15) test::expect_what_moves_give<ScatteredDensity>(*named.space);
  }
  test::expect_what_moves_give<ScatteredDensity>(one_long_list(base::Backend::openmp()));
}

TEST(ScatteredDensity, HasTheSameBitsForEveryNumberOfThreads) {
  test::expect_same_bits<ScatteredDensity>(one_long_list(base::Backend::reference()),
                                           one_long_list(base::Backend::openmp()));
}

TEST(ScatteredDensity, IsUsedForScatteredDeterminants) {
  const base::Backend host = base::Backend::openmp();
  EXPECT_TRUE(ScatteredDensity::suits(test::own_lists({10, 5, 5}, 61)));
  EXPECT_FALSE(ScatteredDensity::suits(test::own_lists({10, 5, 5}, 63)));
  EXPECT_FALSE(ScatteredDensity::suits(test::own_lists({10, 2, 2}, 61)));  // few
  EXPECT_FALSE(ScatteredDensity::suits(full_ci({10, 5, 5}, host)));
}

}  // namespace
}  // namespace cisolve::ci

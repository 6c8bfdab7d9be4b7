#include "ci/states/density_batches.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ci/states/mixed_density.hpp"
#include "tests/support/computed_products.hpp"
#include "tests/support/vectors.hpp"

// Mixed densities of many alpha strings at once, beside those of one move after the other.
namespace cisolve::ci {
namespace {

/// Of every kind; no more orbitals than a matrix over all of their pairs has room for.
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

base::Array<double> zeros(const Space& space) {
  const Index pairs = Index{space.orbitals()} * space.orbitals();
  base::Array<double> values(space.host(), pairs * pairs, "a density");
  std::ranges::fill(values.span(), 0.0);
  return values;
}

TEST(DensityBatches, GiveWhatOneMoveAfterTheOtherGives) {
  for (const test::NamedHamiltonian& named : with_batches()) {
    SCOPED_TRACE(named.name);
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 2, 3);
    base::Array<double> found = zeros(*named.space);
    base::Array<double> expected = zeros(*named.space);
    DensityBatches(*named.space).add(x.block().column(0), x.block().column(1), found.span());
    MixedDensity(*named.space).add(x.block().column(0), x.block().column(1), expected.span());
    const double norm = std::sqrt(static_cast<double>(x.rows()));
    for (Index i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-12 * norm) << i;
  }
}

TEST(DensityBatches, HaveTheSameBitsForEveryNumberOfThreads) {
  const base::Backend one = base::Backend::reference();
  const Space serial = full_ci({9, 4, 5}, one);
  const Space parallel = full_ci({9, 4, 5}, base::Backend::openmp());
  const base::MultiVector x = test::random_vectors(serial.dimension(), 2, 3);
  base::Array<double> found = zeros(parallel);
  base::Array<double> expected = zeros(serial);
  DensityBatches(parallel).add(x.block().column(0), x.block().column(1), found.span());
  DensityBatches(serial).add(x.block().column(0), x.block().column(1), expected.span());
  for (Index i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]) << i;
}

TEST(DensityBatches, SuitSpacesWithFewLists) {
  const base::Backend host = base::Backend::openmp();
  EXPECT_TRUE(DensityBatches::suit(full_ci({10, 5, 5}, host)));
  EXPECT_TRUE(DensityBatches::suit(full_ci({10, 5, 5, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1}, 1}, host)));
  EXPECT_FALSE(DensityBatches::suit(full_ci({3, 0, 0}, host)));
  EXPECT_FALSE(DensityBatches::suit(full_ci({40, 1, 1}, host)));
  EXPECT_FALSE(DensityBatches::suit(test::own_lists({9, 3, 4}, 63)));
}

}  // namespace
}  // namespace cisolve::ci

#include "ci/oracle/sampled_lengths.hpp"

#include <gtest/gtest.h>

#include "ci/fock/counting/counting.hpp"
#include "sparse/rows/build.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/hamiltonians.hpp"

// Estimates of the size of a Hamiltonian against its exact size.
namespace cisolve::ci {
namespace {

using test::kHost;

double counted_elements(const test::NamedHamiltonian& h) {
  return static_cast<double>(sparse::total(sparse::row_lengths(h.rows(), kHost).span()));
}

TEST(SampledRows, IncludeAllRowsOfASmallSpace) {
  const std::vector<int> irreps = {0, 1, 0, 2, 3, 1, 0};
  std::vector<test::NamedHamiltonian> all;
  for (const double threshold : {0.0, 0.5}) {
    const auto add = [&](const char* name, Integrals integrals, Space space) {
      all.push_back(test::named(name, std::move(integrals), std::move(space), threshold));
    };
    add("full CI", test::random_integrals(6, false, 5, {}), full_ci({6, 2, 2}, kHost));
    add("open shell", test::random_integrals(6, true, 5, {}), full_ci({6, 3, 1}, kHost));
    add("one irrep", test::random_integrals(7, false, 5, irreps),
        full_ci({7, 3, 2, irreps, 1}, kHost));
    add("CISD", test::random_integrals(7, false, 5, {}), test::excited({7, 2, 2}, 2));
    add("RAS", test::random_integrals(6, false, 5, {}),
        restricted_active_space({6, 2, 2}, {{0, 1}, {4, 5}, 1, 1}, kHost));
    add("one electron", test::random_integrals(4, false, 5, {}), full_ci({4, 1, 0}, kHost));
  }
  for (const auto& h : all) {
    const SampledLengths sample = sample_rows(*h.space, *h.integrals, h.threshold);
    EXPECT_EQ(sample.rows, h.space->dimension()) << h.name;
    EXPECT_EQ(sample.error, 0) << h.name;
    EXPECT_NEAR(sample.lower_bound(h.space->dimension()), counted_elements(h), 1e-6) << h.name;
  }
}

TEST(SampledRows, GiveALowerBoundOfAtLeastSixtyPercent) {
  for (const auto& h : test::hamiltonians()) {
    const double least =
        sample_rows(*h.space, *h.integrals, h.threshold).lower_bound(h.space->dimension());
    const double exact = counted_elements(h);
    EXPECT_LE(least, exact + 1e-6) << h.name;
    EXPECT_GE(least, 0.6 * exact) << h.name;
    EXPECT_LE(exact, static_cast<double>(h.space->dimension()) * longest_row(*h.space)) << h.name;
  }
}

TEST(SampledRows, MayBeOfASpaceWithMoreRowsThanAStoredMatrixAllows) {
  const Space space = full_ci({18, 9, 9}, kHost);
  ASSERT_GT(space.dimension(), base::kLargestDimension);
  const SampledLengths sample = sample_rows(space, test::random_integrals(18, false, 5, {}), 0);
  EXPECT_GE(sample.rows, 16);
  EXPECT_NEAR(sample.mean, longest_row(space), 1e-6);  // all rows of full CI have equal length
}

TEST(SampledRows, AreTheSameForAnyNumberOfThreads) {
  const Integrals integrals = test::random_integrals(8, false, 5, {});
  const SampledLengths one =
      sample_rows(full_ci({8, 4, 4}, base::Backend::openmp(1)), integrals, 0.3);
  const SampledLengths three =
      sample_rows(full_ci({8, 4, 4}, base::Backend::openmp(3)), integrals, 0.3);
  EXPECT_EQ(one.mean, three.mean);
  EXPECT_EQ(one.error, three.error);
}

TEST(SampledRows, GiveALowerBoundThatIncludesTheDiagonal) {
  EXPECT_EQ((SampledLengths{.rows = 20, .mean = 3, .error = 1}.lower_bound(1000)), 1000);
  EXPECT_EQ((SampledLengths{.rows = 20, .mean = 30, .error = 2}.lower_bound(1000)), 18000);
}

// The tables of the two spins do not coexist.
TEST(ConnectionSearch, TakesTheBytesOfTheLargerSpinOnly) {
  const double alpha = connection_search_bytes({{1000, 0}, {6, 0}});
  const double beta = connection_search_bytes({{0, 400}, {0, 5}});
  EXPECT_GT(beta, 0);
  EXPECT_GT(alpha, beta);
  EXPECT_EQ(connection_search_bytes({{1000, 400}, {6, 5}}), alpha);
  EXPECT_EQ(connection_search_bytes({{400, 1000}, {5, 6}}), alpha);
}

TEST(Dimension, IsTheSameCountedAloneOrWithTheElements) {
  const std::vector<int> irreps = {0, 1, 2, 0, 3, 1, 2};
  for (const Sector& sector : {Sector{7, 3, 3}, Sector{7, 4, 1}, Sector{7, 3, 2, irreps, 0},
                               Sector{7, 3, 3, irreps, 3}, Sector{7, 3, 3, {}, 1}}) {
    EXPECT_EQ(full_ci_dimension(sector), count_full_ci(sector).determinants);
    const RasLimits limits{{0, 1}, {5, 6}, 2, 1};
    EXPECT_EQ(restricted_dimension(sector, limits),
              count_restricted_active_space(sector, limits).determinants);
    const Determinant reference = aufbau(sector.alpha_electrons, sector.beta_electrons);
    EXPECT_EQ(excited_dimension_lower_bound(sector, std::span(&reference, 1), levels_up_to(2)),
              count_excited_space(sector, reference, levels_up_to(2)).determinants);
  }
}

TEST(Dimension, OfSeveralReferencesIsAtLeastThatOfOne) {
  const Sector sector{8, 3, 3};
  const std::vector<Determinant> references = {aufbau(3, 3), parse_determinant("02220000", 8),
                                               parse_determinant("22020000", 8)};
  const auto least = excited_dimension_lower_bound(sector, references, levels_up_to(2)).to_index();
  ASSERT_TRUE(least);
  const Space space = excited_space(sector, references, levels_up_to(2), kHost);
  EXPECT_LE(*least, space.dimension());
  EXPECT_GT(3 * *least, space.dimension());
}

TEST(Strings, AreAsManyAsAreBuilt) {
  for (const int level : {0, 1, 2, 3, 8}) {
    const Space space = test::excited({9, 4, 2}, level);
    EXPECT_EQ(count_strings(9, 4, level), std::ssize(space.strings(Spin::alpha)));
    EXPECT_EQ(count_strings(9, 2, level), std::ssize(space.strings(Spin::beta)));
  }
}

}  // namespace
}  // namespace cisolve::ci

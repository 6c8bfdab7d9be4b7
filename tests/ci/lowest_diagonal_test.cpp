#include "ci/hamiltonian/rows/lowest_diagonal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "ci/fock/models/electron_models.hpp"
#include "ci/hamiltonian/rows/slater_condon.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/ci/systems.hpp"

namespace cisolve::test {
namespace {

using base::Index;

/// The reference: a scan of all elements.
std::vector<Index> lowest_of_all(const ci::Space& space, const ci::Integrals& integrals,
                                 Index count) {
  const base::Array<double> diagonal = ci::HamiltonianDiagonal(space, integrals).all();
  std::vector<Index> rows(diagonal.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  std::ranges::sort(rows, {}, [&](Index row) { return std::pair(diagonal[row], row); });
  rows.resize(std::min(count, space.dimension()));
  return rows;
}

void expect_lowest(const ci::Space& space, const ci::Integrals& integrals) {
  for (const Index count : {Index{1}, Index{7}, Index{60}, space.dimension(), Index{1} << 40})
    EXPECT_EQ(ci::lowest_of_diagonal(space, integrals, count),
              lowest_of_all(space, integrals, count))
        << count << " of " << space.dimension();
}

/// Orbital energies that rise as in a molecule, with repulsion that depends on both orbitals.
ci::Integrals with_levels(ci::Integrals integrals, double step) {
  for (int p = 0; p < integrals.orbitals(); ++p)
    integrals.set_one(ci::Spin::alpha, p, p, integrals.one(ci::Spin::alpha, p, p) + step * p);
  return integrals;
}

TEST(LowestDiagonal, AreTheLowestOfAllElements) {
  for (const bool spin_dependent : {false, true})
    for (const int betas : {2, 3, 4}) {
      const ci::Space space = ci::full_ci({7, 4, betas}, kHost);
      auto integrals = random_integrals(7, spin_dependent, 5, {});
      expect_lowest(space, integrals);
      expect_lowest(space, with_levels(std::move(integrals), 1.5));
    }
  const ci::Space one_string = ci::full_ci({7, 4, 0}, kHost);
  EXPECT_EQ(ci::lowest_of_diagonal(one_string, random_integrals(7, false, 5, {}), 1).size(), 1u);
}

TEST(LowestDiagonal, OfSeveralListsOfBetas) {
  const std::vector<int> irreps = {0, 1, 0, 2, 3, 1, 2, 0};
  const auto integrals = with_levels(random_integrals(8, false, 6, irreps), 1.5);
  expect_lowest(ci::full_ci({8, 4, 3, irreps, 0}, kHost), integrals);
  expect_lowest(ci::full_ci({8, 4, 4, irreps, 2}, kHost), integrals);
}

// On a ring many determinants have equal elements.
TEST(LowestDiagonal, OfEqualElementsTheyAreTheFirst) {
  expect_lowest(ci::full_ci({6, 3, 3}, kHost),
                ci::hubbard({.shape = {6, 1, true, false}, .t = 1, .u = 2}, kHost));
}

TEST(LowestDiagonal, FewPairsOfStringsAreEvaluated) {
  const ci::Space space = ci::full_ci({13, 6, 6}, kHost);  // more than may be scanned
  const auto steep = with_levels(random_integrals(13, false, 8, {}), 20);
  for (const Index count : {400, 40000})
    EXPECT_EQ(std::ssize(ci::lowest_of_diagonal(space, steep, count)), count);
  const auto same = ci::hubbard({.shape = {13, 1, true, false}, .t = 1, .u = 2}, kHost);
  EXPECT_EQ(ci::lowest_of_diagonal(space, same, 400), std::vector<Index>());
}

TEST(LowestDiagonal, NoneAreFoundIfThereAreAboutAsManyListsAsRows) {
  const ci::Space all = ci::full_ci({6, 3, 2}, kHost);
  std::vector<ci::Determinant> list;
  for (Index row = 0; row < all.dimension(); ++row)
    if (base::mix(row) % 3 != 0) list.push_back(all.determinant(row));
  const ci::Space some = ci::list_space({6, 3, 2}, list, kHost);
  EXPECT_EQ(ci::lowest_of_diagonal(some, random_integrals(6, false, 7, {}), 5),
            std::vector<Index>());
}

TEST(LowestDiagonal, AreRefusedIfNotNumbers) {
  auto integrals = random_integrals(6, false, 9, {});
  integrals.set_one(ci::Spin::alpha, 2, 2, std::nan(""));
  EXPECT_EQ(ci::lowest_of_diagonal(ci::full_ci({6, 3, 3}, kHost), integrals, 5),
            std::vector<Index>());
}

}  // namespace
}  // namespace cisolve::test

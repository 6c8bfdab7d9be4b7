#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ci/fock/models/electron_models.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/solved.hpp"

// Systems whose occupied orbitals cross word boundaries have the energies of the same systems at
// orbitals 1 to 10. Unused but
// allowed orbitals prevent the program from compressing the orbitals to numbers 1 to 10.
namespace cisolve::ci {
namespace {

using test::kHost;
constexpr int kSize = 10;

std::vector<double> energies_in(const Space& space, const Integrals& integrals, int states) {
  const solver::Result result = test::solved(space, integrals, states);
  std::vector<double> energies;
  for (const solver::State& state : result.states) energies.push_back(state.energy);
  return energies;
}

void expect_same(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t j = 0; j < found.size(); ++j) EXPECT_NEAR(found[j], expected[j], 1e-10);
}

/// Positions of the ten orbitals of a small system.
using Places = std::vector<int>;

Places from(int first) {
  Places places;
  for (int p = 0; p < kSize; ++p) places.push_back(first + p);
  return places;
}

/// 62 to 66 and 126 to 130, counted from 1.
const Places kBothBorders = {61, 62, 63, 64, 65, 125, 126, 127, 128, 129};

/// A number of orbitals that includes the places and a few empty ones above.
int orbital_count_for(const Places& places) { return places.back() + 3; }

Places rest_of(const Places& places) {
  return (String::below(orbital_count_for(places)) - String::of(places)).orbitals();
}

/// The integrals of a small system at other positions; occupying any other orbital costs energy.
Integrals moved(const Integrals& small, const Places& at) {
  Integrals large(orbital_count_for(at), false, kHost);
  for (const int p : rest_of(at)) large.set_one(Spin::alpha, p, p, 50);
  for (int p = 0; p < kSize; ++p)
    for (int q = 0; q <= p; ++q) {
      large.set_one(Spin::alpha, at[p], at[q], small.one(Spin::alpha, p, q));
      for (int r = 0; r < kSize; ++r)
        for (int s = 0; s <= r; ++s)
          large.set_two(Spin::alpha, at[p], at[q], Spin::alpha, at[r], at[s],
                        small.two(Spin::alpha, p, q, Spin::alpha, r, s));
    }
  large.set_core_energy(small.core_energy());
  return large;
}

Places picked(const Places& from, std::initializer_list<int> which) {
  Places places;
  for (const int p : which) places.push_back(from[p]);
  return places;
}

/// Up to two holes in the three lowest orbitals, no electron outside the ten.
std::vector<double> with_holes(const Integrals& integrals, const Places& at,
                               const Places& outside) {
  const RasLimits limits{picked(at, {0, 1, 2}), outside, 2, 0};
  return energies_in(restricted_active_space({integrals.orbitals(), 3, 2}, limits, kHost),
                     integrals, 3);
}

/// No limit on holes; one electron may enter the two highest orbitals or those outside.
std::vector<double> with_a_particle(const Integrals& integrals, const Places& at,
                                    const Places& outside) {
  RasLimits limits{picked(at, {0}), picked(at, {8, 9}), 2, 1};
  limits.ras3.insert(limits.ras3.end(), outside.begin(), outside.end());
  return energies_in(restricted_active_space({integrals.orbitals(), 2, 1}, limits, kHost),
                     integrals, 3);
}

TEST(WordBorders, RestrictedSpacesHaveTheEnergiesWithinOneWord) {
  const Integrals low = test::random_integrals(kSize, false, 21, {});
  const auto holes = with_holes(low, from(0), {});
  for (const Places& at : {kBothBorders, from(57)})
    expect_same(with_holes(moved(low, at), at, rest_of(at)), holes);
  const Places at = from(57);
  expect_same(with_a_particle(moved(low, at), at, rest_of(at)), with_a_particle(low, from(0), {}));
}

/// All determinants with all electrons at these positions.
Space at_places(const Places& at, int orbitals, int alpha, int beta) {
  const Space small = full_ci({kSize, alpha, beta}, kHost);
  std::vector<Determinant> list;
  for (Index row = 0; row < small.dimension(); ++row) {
    const Determinant determinant = small.determinant(row);
    Determinant image;
    determinant.alpha.for_each([&](int p) { image.alpha = image.alpha.with(at[p]); });
    determinant.beta.for_each([&](int p) { image.beta = image.beta.with(at[p]); });
    list.push_back(image);
  }
  return list_space({orbitals, alpha, beta}, list, kHost);
}

TEST(WordBorders, ListsHaveTheEnergiesWithinOneWord) {
  const Integrals low = test::random_integrals(kSize, false, 22, {});
  const auto expected = energies_in(full_ci({kSize, 2, 2}, kHost), low, 3);
  for (const Places& at : {kBothBorders, from(58), from(61), from(121)}) {
    SCOPED_TRACE(at[0]);
    expect_same(energies_in(at_places(at, orbital_count_for(at), 2, 2), moved(low, at), 3),
                expected);
  }
}

TEST(WordBorders, APieceOfALatticeHasTheEnergiesWithinOneWord) {
  const auto chain = [](int sites) {
    return hubbard({.shape = {sites, 1, false, false}, .t = 1, .u = 4, .v = 0.5}, kHost);
  };
  const auto expected = energies_in(full_ci({kSize, 2, 2}, kHost), chain(kSize), 3);
  constexpr int sites = 132;
  const Integrals whole = chain(sites);
  for (const int first : {57, 61, 121}) {
    SCOPED_TRACE(first);
    expect_same(energies_in(at_places(from(first), sites, 2, 2), whole, 3), expected);
  }
}

/// Closed forms: one electron on an open chain, and one flipped spin on a spin chain, with every
/// orbital occupied.
TEST(WordBorders, WholeLatticesHaveTheirClosedForms) {
  constexpr int sites = 132;
  const auto electron = energies_in(full_ci({sites, 1, 0}, kHost),
                                    hubbard({.shape = {sites, 1, false, false}, .t = 1}, kHost), 4);
  constexpr int spins = 68;
  const auto spin_wave =
      energies_in(list_space({spins, 1, spins - 1}, one_electron_a_site(spins, 1, kHost), kHost),
                  electrons_on(spins, on_bonds({spins, 1}, 1, TermKind::couple, -1), kHost), 4);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(electron[k], -2 * std::cos(std::numbers::pi * (k + 1) / (sites + 1)), 1e-10);
    EXPECT_NEAR(spin_wave[k], -0.25 * (spins - 1) + 1 - std::cos(std::numbers::pi * k / spins),
                1e-10);
  }
}

}  // namespace
}  // namespace cisolve::ci

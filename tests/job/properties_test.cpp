#include "job/states/properties.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <utility>

#include "base/random.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "job/states/state_analysis.hpp"
#include "tests/support/vectors.hpp"

// Moments and transitions of vectors that need be no eigenstates.
namespace cisolve::job {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const base::Backend kHost = base::Backend::openmp();

ci::OneElectronOperator random_operator(std::string_view name, int orbitals, bool antisymmetric) {
  ci::OneElectronOperator one{.name = std::string(name),
                              .components = {"x", "y", "z"},
                              .unit = "1",
                              .antisymmetric = antisymmetric,
                              .constants = {0, 0, 0},
                              .alpha = {}};
  std::uint64_t seed = antisymmetric ? 1000 : 0;
  for (int c = 0; c < 3; ++c) {
    base::SmallMatrix& o = one.alpha.emplace_back(orbitals, orbitals);
    for (int p = 0; p < orbitals; ++p)
      for (int q = 0; q < p; ++q) {
        o(p, q) = base::symmetric_interval(base::mix(23, ++seed));
        o(q, p) = antisymmetric ? -o(p, q) : o(p, q);
      }
  }
  return one;
}

DeterminantProblem molecule_of(const ci::Sector& sector) {
  std::vector<int> all(static_cast<std::size_t>(sector.orbitals));
  for (int p = 0; p < sector.orbitals; ++p) all[static_cast<std::size_t>(p)] = p;
  return {.integrals = ci::Integrals(sector.orbitals, false, kHost),
          .space = ci::full_ci(sector, kHost),
          .window = {{}, all},
          .dialect = {},
          .orbitals = sector.orbitals,
          .warnings = {},
          .operators = {random_operator(ci::kDipole, sector.orbitals, false),
                        random_operator(ci::kVelocity, sector.orbitals, true)}};
}

/// Orthonormal vectors with these energies.
solver::Result result_with(const DeterminantProblem& molecule,
                           const std::vector<double>& energies) {
  const auto states = static_cast<int>(energies.size());
  base::MultiVector x = test::random_states(molecule.space.dimension(), states);
  for (int j = 0; j < states; ++j) {
    for (int i = 0; i < j; ++i) {
      double overlap = 0;
      for (base::Index row = 0; row < x.rows(); ++row) overlap += x(row, i) * x(row, j);
      for (base::Index row = 0; row < x.rows(); ++row) x(row, j) -= overlap * x(row, i);
    }
    double square = 0;
    for (base::Index row = 0; row < x.rows(); ++row) square += x(row, j) * x(row, j);
    for (base::Index row = 0; row < x.rows(); ++row) x(row, j) /= std::sqrt(square);
  }
  solver::Result result{.vectors = std::move(x),
                        .layout = base::Layout::whole(molecule.space.dimension())};
  for (const double energy : energies)
    result.states.push_back({.energy = energy, .status = solver::Status::converged});
  return result;
}

void rotate(base::MultiVector& x, int a, int b, double angle) {
  for (base::Index row = 0; row < x.rows(); ++row) {
    const double first = x(row, a);
    const double second = x(row, b);
    x(row, a) = std::cos(angle) * first - std::sin(angle) * second;
    x(row, b) = std::sin(angle) * first + std::cos(angle) * second;
  }
}

StateProperties properties(const DeterminantProblem& molecule, const solver::Result& result,
                           const PropertyChoice& choice = {}) {
  Request request;
  request.analysis.properties = choice;
  const auto sums = ci::state_sums(molecule.space);
  return properties_of(molecule, request, result, *sums, result.vectors, {}).value();
}

TEST(Properties, ALevelGroupsConsecutiveStatesOfOneEnergy) {
  const auto levels = energy_levels({-1, -1 + 1e-7, -0.5, -0.5 + 2e-6, -0.5 + 2.5e-6});
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[0].states, 2U);
  EXPECT_EQ(levels[1].states, 1U);
  EXPECT_EQ(levels[2].first, 3U);
  EXPECT_EQ(levels[2].states, 2U);
  EXPECT_NEAR(levels[1].energy, 0.5, 1e-15);
  EXPECT_THAT(energy_levels({}), IsEmpty());
}

TEST(Properties, StrengthsOfALevelEqualThoseOfAnyRotationOfItsStates) {
  const DeterminantProblem molecule = molecule_of({5, 2, 2});
  solver::Result result = result_with(molecule, {-1, -1, 0.25, 0.25, 0.75});
  const StateProperties before = properties(molecule, result);
  ASSERT_EQ(before.levels.size(), 3U);
  rotate(result.vectors, 0, 1, 0.4);
  rotate(result.vectors, 2, 3, 1.1);
  const StateProperties after = properties(molecule, result);
  for (const std::size_t k : {1U, 2U}) {
    EXPECT_NEAR(*after.levels[k].length_strength, *before.levels[k].length_strength, 1e-13);
    EXPECT_NEAR(*after.levels[k].velocity_strength, *before.levels[k].velocity_strength, 1e-13);
    EXPECT_GT(*before.levels[k].length_strength, 1e-3);
  }
  EXPECT_GT(
      std::abs(*after.transitions[1].length_strength - *before.transitions[1].length_strength),
      1e-3);
  EXPECT_FALSE(after.transitions[0].velocity_strength);  // no excitation
  EXPECT_FALSE(after.levels[0].length_strength);
}

TEST(Properties, ATransitionChangesSignWithItsState) {
  const DeterminantProblem molecule = molecule_of({5, 2, 2});
  solver::Result result = result_with(molecule, {-1, 0.25});
  const StateProperties before = properties(molecule, result);
  for (base::Index row = 0; row < result.vectors.rows(); ++row) result.vectors(row, 1) *= -1;
  const StateProperties after = properties(molecule, result);
  for (const std::size_t k : {0U, 1U})
    for (const std::size_t c : {0U, 1U, 2U}) {
      EXPECT_EQ(after.transitions[0].moments[k][c], -before.transitions[0].moments[k][c]);
      EXPECT_NEAR(after.states[1][k][c], before.states[1][k][c], 1e-15);
    }
  EXPECT_THAT(before.levels, IsEmpty());
}

TEST(Properties, OfManyRowsTakeATenthOfTheSolutionUnlessTheyAreAskedFor) {
  const DeterminantProblem molecule = molecule_of({10, 4, 4});  // 44,100 rows, 7 densities
  solver::Result result = result_with(molecule, {-1, 0.25, 0.5, 0.75});
  result.products = 69;
  const StateProperties left_out = properties(molecule, result);
  EXPECT_THAT(left_out.states, IsEmpty());
  EXPECT_THAT(left_out.transitions, IsEmpty());
  EXPECT_THAT(left_out.note, HasSubstr("would take 7 density matrices, more than a tenth of the 69 "
                                       "products of the solution; analysis.properties: [dipole]"));
  const StateProperties wanted = properties(molecule, result, {.names = {"dipole"}});
  EXPECT_EQ(wanted.states.size(), 4U);
  EXPECT_EQ(wanted.operators.size(), 1U);
  result.products = 70;
  EXPECT_EQ(properties(molecule, result).states.size(), 4U);
}

TEST(Properties, EqualThoseOfDensitiesThatAreKept) {
  const DeterminantProblem molecule = molecule_of({5, 3, 2});
  const solver::Result result = result_with(molecule, {-1, 0.25});
  const StateProperties found = properties(molecule, result);
  const auto sums = ci::state_sums(molecule.space);
  const StateAnalysis analysis = analyse(molecule, Request(), result, result.vectors);
  ASSERT_TRUE(analysis.properties);
  EXPECT_EQ(analysis.properties->states, found.states);
  EXPECT_EQ(analysis.properties->transitions[0].moments, found.transitions[0].moments);
}

}  // namespace
}  // namespace cisolve::job

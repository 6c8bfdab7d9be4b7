#include "job/states/transition_orbitals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "tests/support/vectors.hpp"

// Natural transition orbitals of vectors that need be no eigenstates.
namespace cisolve::job {
namespace {

const base::Backend kHostOfTransitions = base::Backend::openmp();
constexpr int kOrbitalsOfTransitions = 5;

DeterminantProblem small_problem() {
  return {.integrals = ci::Integrals(kOrbitalsOfTransitions, false, kHostOfTransitions),
          .space = ci::full_ci({kOrbitalsOfTransitions, 3, 2}, kHostOfTransitions),
          .window = {{}, {0, 1, 2, 3, 4}},
          .dialect = {},
          .orbitals = kOrbitalsOfTransitions,
          .warnings = {}};
}

/// Random orthonormal vectors.
solver::Result states_with(const DeterminantProblem& molecule,
                           const std::vector<double>& energies) {
  const auto states = static_cast<int>(energies.size());
  base::MultiVector x = test::random_vectors(molecule.space.dimension(), states, 5);
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

Request asking(AnalysedOrbitals orbitals = AnalysedOrbitals::transition) {
  Request request;
  request.analysis.orbitals = orbitals;
  return request;
}

io::StoredTransitionOrbitals orbitals_of(const DeterminantProblem& molecule,
                                         const solver::Result& result) {
  StateAnalysis analysis;
  add_transition_orbitals(molecule, asking(), result, analysis);
  return analysis.transition_orbitals.value();
}

void combine(base::MultiVector& x, int a, int b, double angle) {
  for (base::Index row = 0; row < x.rows(); ++row) {
    const double first = x(row, a);
    const double second = x(row, b);
    x(row, a) = std::cos(angle) * first - std::sin(angle) * second;
    x(row, b) = std::sin(angle) * first + std::cos(angle) * second;
  }
}

TEST(TransitionOrbitals, GiveTheTransitionDensityOfEachSpin) {
  const DeterminantProblem molecule = small_problem();
  const solver::Result result = states_with(molecule, {-1, 0.25, 0.5});
  const io::StoredTransitionOrbitals found = orbitals_of(molecule, result);
  ASSERT_EQ(found.weights.size(), 2U);
  const std::size_t n = found.orbitals.size();
  for (const std::size_t to : {0U, 1U}) {
    const auto density =
        ci::transition_density(molecule.space, result.vectors.block().column(0),
                               result.vectors.block().column(static_cast<int>(to) + 1));
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t p = 0; p < n; ++p)
        for (std::size_t q = 0; q < n; ++q) {
          double sum = 0;
          for (std::size_t k = 0; k < n; ++k)
            sum += std::sqrt(found.weights[to][s * n + k]) * found.holes[to][(s * n + k) * n + p] *
                   found.particles[to][(s * n + k) * n + q];
          EXPECT_NEAR(sum, density.spin[s](static_cast<int>(p), static_cast<int>(q)), 1e-13);
        }
    for (std::size_t k = 1; k < n; ++k) EXPECT_GE(found.weights[to][k - 1], found.weights[to][k]);
  }
  EXPECT_TRUE(found.level_first.empty());
}

TEST(TransitionOrbitals, OfALevelAreThoseOfAnyRotationOfItsStates) {
  const DeterminantProblem molecule = small_problem();
  solver::Result result = states_with(molecule, {-1, -1, 0.25, 0.25, 0.75});
  const io::StoredTransitionOrbitals before = orbitals_of(molecule, result);
  ASSERT_EQ(before.level_first, (std::vector<base::Index>{3, 5}));
  ASSERT_EQ(before.level_states, (std::vector<base::Index>{2, 1}));
  combine(result.vectors, 0, 1, 0.4);
  combine(result.vectors, 2, 3, 1.1);
  const io::StoredTransitionOrbitals after = orbitals_of(molecule, result);
  for (const std::size_t level : {0U, 1U})
    for (std::size_t k = 0; k < before.level_hole_weights[level].size(); ++k) {
      EXPECT_NEAR(after.level_hole_weights[level][k], before.level_hole_weights[level][k], 1e-13);
      EXPECT_NEAR(after.level_particle_weights[level][k], before.level_particle_weights[level][k],
                  1e-13);
    }
  for (std::size_t k = 0; k < before.level_holes[0].size(); ++k)
    EXPECT_NEAR(after.level_holes[0][k], before.level_holes[0][k], 1e-9);
  EXPECT_GT(std::abs(after.weights[1][0] - before.weights[1][0]), 1e-3);
}

TEST(TransitionOrbitals, AreThoseOfDensitiesThatAreKept) {
  const DeterminantProblem molecule = small_problem();
  const solver::Result result = states_with(molecule, {-1, 0.25});
  StateAnalysis analysis = analyse(molecule, Request(), result, result.vectors);
  EXPECT_FALSE(analysis.transition_orbitals);  // nobody asked
  add_transition_orbitals(molecule, asking(AnalysedOrbitals::none), result, analysis);
  EXPECT_FALSE(analysis.transition_orbitals);
  add_transition_orbitals(molecule, asking(), result, analysis);
  ASSERT_TRUE(analysis.transition_orbitals);
  EXPECT_EQ(analysis.transition_orbitals->weights, orbitals_of(molecule, result).weights);
}

TEST(TransitionOrbitals, AreLeftOutWholeWithoutMemoryForThem) {
  DeterminantProblem molecule = small_problem();
  const solver::Result result = states_with(molecule, {-1, 0.25});
  const base::Backend tight = base::Backend::by_name("openmp", 1, {100'000, 0});
  molecule.space = ci::full_ci({kOrbitalsOfTransitions, 3, 2}, tight);
  const base::Reservation held(tight.memory(), tight.memory().left() - 1000, "a test");
  StateAnalysis analysis;
  EXPECT_THROW(add_transition_orbitals(molecule, asking(), result, analysis), base::Error);
  EXPECT_FALSE(analysis.transition_orbitals);
}

TEST(Participation, CountsPairsOfEqualWeight) {
  const std::vector<double> weights = {0.5, 0.5, 0.5, 0};
  EXPECT_NEAR(participation(weights.data(), weights.data() + 4), 3, 1e-14);
  EXPECT_NEAR(participation(weights.data(), weights.data() + 1), 1, 1e-14);
  EXPECT_EQ(participation(weights.data() + 3, weights.data() + 4), 0);
}

}  // namespace
}  // namespace cisolve::job

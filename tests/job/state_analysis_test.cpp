#include "job/states/state_analysis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "base/block_kernels.hpp"
#include "base/random.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "job/problem/determinant_problem.hpp"
#include "tests/support/ci_systems.hpp"

// Descriptions of a state hold for its vector, or are left out.
namespace cisolve::app {
namespace {

const base::Backend kHost = base::Backend::openmp();
const std::vector<int> kIrreps = {0, 1, 2, 3, 0};

job::DeterminantProblem determinant_problem_of(const ci::Sector& sector,
                                               const base::Backend& host = kHost) {
  std::vector<int> all(static_cast<std::size_t>(sector.orbitals));
  for (int p = 0; p < sector.orbitals; ++p) all[p] = p;
  const auto known = std::min<std::size_t>(sector.orbitals, kIrreps.size());
  std::vector<int> irreps(kIrreps.begin(), kIrreps.begin() + static_cast<std::ptrdiff_t>(known));
  irreps.resize(sector.orbitals);
  return {.integrals = test::random_integrals(sector.orbitals, false, 41, irreps),
          .space = ci::full_ci(sector, host),
          .window = {{}, all},
          .dialect = {},
          .orbitals = sector.orbitals,
          .warnings = {}};
}

/// A vector with this weight in the first irrep, the rest in another one.
base::MultiVector vector_with(const job::DeterminantProblem& molecule, double weight) {
  const ci::Space& space = molecule.space;
  base::MultiVector x(kHost, space.dimension(), 1);
  double norms[2] = {0, 0};
  const auto side_of = [&](base::Index row) {
    const ci::Determinant determinant = space.determinant(row);
    return ci::irrep_of(determinant.alpha, kIrreps) == ci::irrep_of(determinant.beta, kIrreps) ? 0
                                                                                               : 1;
  };
  for (base::Index row = 0; row < x.rows(); ++row) {
    x(row, 0) = base::symmetric_interval(base::mix(7, static_cast<std::uint64_t>(row)));
    if (side_of(row) == 1 && (ci::irrep_of(space.determinant(row).alpha, kIrreps) ^
                              ci::irrep_of(space.determinant(row).beta, kIrreps)) != 2)
      x(row, 0) = 0;
    norms[side_of(row)] += x(row, 0) * x(row, 0);
  }
  const double side_weights[2] = {weight, 1 - weight};
  for (base::Index row = 0; row < x.rows(); ++row)
    x(row, 0) *= std::sqrt(side_weights[side_of(row)] / norms[side_of(row)]);
  return x;
}

/// The description of states with these vectors, and energies that differ from their own by
/// `error`.
job::StateAnalysis analysed(const job::DeterminantProblem& molecule, base::MultiVector x,
                            double error, base::Index left = -1) {
  base::MultiVector image(kHost, x.rows(), x.columns());
  ci::OracleOperator(molecule.space, molecule.integrals).apply(x.block(), image.block());
  std::vector<double> energies(x.columns(), error);
  for (int j = 0; j < x.columns(); ++j)
    for (base::Index row = 0; row < x.rows(); ++row) energies[j] += x(row, j) * image(row, j);
  solver::Result result{.vectors = std::move(x),
                        .layout = base::Layout::whole(molecule.space.dimension())};
  for (const double energy : energies)
    result.states.push_back({.energy = energy, .status = solver::Status::converged});
  job::Request request;
  request.analysis.densities = job::Densities::two;
  base::MemoryBudget& budget = molecule.space.host().host_memory();
  const base::Reservation others(budget, left < 0 ? 0 : budget.left() - left, "what others hold");
  return job::analyse(molecule, request, result, result.vectors);
}

TEST(StateAnalysis, AnIrrepIsAssignedOnlyToPureStates) {
  const job::DeterminantProblem molecule = determinant_problem_of({5, 2, 2});
  for (const double weight : {0.5, 0.9, 0.95, 0.999, 1 - 1e-5}) {
    const job::StateAnalysis found = analysed(molecule, vector_with(molecule, weight), 0);
    EXPECT_EQ(found.states[0].irrep, std::nullopt) << weight;
  }
  EXPECT_EQ(analysed(molecule, vector_with(molecule, 1 - 1e-8), 0).states[0].irrep, 1);
  EXPECT_EQ(analysed(molecule, vector_with(molecule, 1e-8), 0).states[0].irrep, 3);
}

TEST(StateAnalysis, EachStateIsDescribedByItsOwnVector) {
  const job::DeterminantProblem molecule = determinant_problem_of({5, 2, 2});
  const base::MultiVector first = vector_with(molecule, 1);
  const base::MultiVector second = vector_with(molecule, 0);
  base::MultiVector both(kHost, first.rows(), 2);
  for (base::Index row = 0; row < both.rows(); ++row) {
    both(row, 0) = first(row, 0);
    both(row, 1) = second(row, 0);
  }
  const std::vector<job::StateDescription> found = analysed(molecule, std::move(both), 0).states;
  ASSERT_EQ(found.size(), 2U);
  for (int j = 0; j < 2; ++j) {
    const auto alone = analysed(molecule, vector_with(molecule, 1 - j), 0).states[0];
    EXPECT_EQ(found[j].irrep, alone.irrep);
    ASSERT_FALSE(found[j].dominant.empty());
    EXPECT_EQ(found[j].dominant[0].text, alone.dominant[0].text);
    EXPECT_EQ(found[j].dominant[0].coefficient, alone.dominant[0].coefficient);
    EXPECT_EQ(found[j].occupations, alone.occupations);
  }
  EXPECT_NE(found[0].irrep, found[1].irrep);
}

// Terms of 1e17 that cancel leave a rounding error of 1e2 in the energy, which is no fault of the
// state.
TEST(StateAnalysis, RoundingOfTermsThatCancelIsNoFailure) {
  job::DeterminantProblem molecule = determinant_problem_of({5, 2, 2});
  const double scale = 1e17;
  constexpr ci::Spin kEither = ci::Spin::alpha;  // these integrals are those of both spins
  for (int p = 0; p < 5; ++p)
    for (int q = 0; q <= p; ++q)
      molecule.integrals.set_one(kEither, p, q, scale * molecule.integrals.one(kEither, p, q));
  const double without_core =
      analysed(molecule, vector_with(molecule, 0.3), 0).states[0].density_energy.value();
  molecule.integrals.set_core_energy(-without_core);
  const job::StateAnalysis found = analysed(molecule, vector_with(molecule, 0.3), 0);
  EXPECT_LT(std::abs(*found.states[0].density_energy), 1e-12 * scale);
  EXPECT_GT(found.states[0].density_magnitude, 0.1 * scale);
  EXPECT_TRUE(found.failures.empty());
  EXPECT_EQ(analysed(molecule, vector_with(molecule, 0.3), 1e-8 * scale).failures.size(), 1U);
}

TEST(StateAnalysis, AnEnergyThatTheDensitiesDoNotReproduceIsAFailure) {
  const job::DeterminantProblem molecule = determinant_problem_of({5, 2, 2});
  EXPECT_TRUE(analysed(molecule, vector_with(molecule, 0.3), 0).failures.empty());
  for (const double error : {1e-8, -1e-8, 1e-4, std::nan("")}) {
    const job::StateAnalysis found = analysed(molecule, vector_with(molecule, 0.3), error);
    ASSERT_EQ(found.failures.size(), 1U) << error;
    EXPECT_NE(found.failures[0].find("its density matrices give"), std::string::npos);
  }
}

/// Default densities for a space after a number of products.
job::StateAnalysis by_default(const ci::Sector& sector, base::Index products) {
  const job::DeterminantProblem molecule = determinant_problem_of(sector);
  base::MultiVector x(kHost, molecule.space.dimension(), 1);
  base::block_kernels(kHost).fill(kHost, 0, x.block());
  x(0, 0) = 1;
  solver::Result result{.vectors = std::move(x),
                        .layout = base::Layout::whole(molecule.space.dimension())};
  result.states.push_back({.status = solver::Status::converged});
  result.products = products;
  return job::analyse(molecule, {}, result, result.vectors);
}

TEST(StateAnalysis, DensitiesAreLeftOutIfSlowerThanTheSolutionAndNotNegligible) {
  EXPECT_EQ(by_default({5, 2, 2}, 1).densities, job::Densities::two);
  EXPECT_EQ(by_default({11, 4, 4}, 3).densities, job::Densities::two);
  const job::StateAnalysis found = by_default({11, 4, 4}, 2);
  EXPECT_EQ(found.densities, job::Densities::one);
  EXPECT_NE(found.note.find("about 3 products, but the solution took 2"), std::string::npos)
      << found.note;
}

// Two-particle densities of five orbitals take some 6 KiB, all other descriptions of a state less.
TEST(StateAnalysis, DensitiesThatDoNotFitAreLeftOutWithTheReason) {
  constexpr base::Index budget = 1 << 20;
  const auto tight = base::Backend::openmp(1, {.host_bytes = budget});
  const job::DeterminantProblem molecule = determinant_problem_of({5, 2, 2}, tight);
  const job::StateAnalysis whole = analysed(molecule, vector_with(molecule, 1), 0);
  EXPECT_EQ(whole.densities, job::Densities::two);
  const job::StateAnalysis found = analysed(molecule, vector_with(molecule, 1), 0, 6000);
  EXPECT_EQ(found.densities, job::Densities::one);
  EXPECT_NE(found.note.find("not enough host memory: a two-particle density needs"),
            std::string::npos)
      << found.note;
  EXPECT_TRUE(found.failures.empty());
  ASSERT_EQ(found.states.size(), 1U);
  EXPECT_EQ(found.states[0].density_energy, std::nullopt);
  EXPECT_EQ(found.states[0].irrep, 1);
  EXPECT_NEAR(*found.states[0].s2, *whole.states[0].s2, 1e-12);
  EXPECT_EQ(found.states[0].occupations, whole.states[0].occupations);
  EXPECT_EQ(found.kept.one_particle, whole.kept.one_particle);
  EXPECT_TRUE(found.kept.two_particle.empty());
}

TEST(StateAnalysis, DescribesWholeVectorsOnly) {
  const job::DeterminantProblem molecule = determinant_problem_of({5, 2, 2});
  solver::Result result{.vectors = vector_with(molecule, 0.3),
                        .layout = base::Layout::even(molecule.space.dimension(), 2)};
  result.states.push_back({.energy = 0});
  EXPECT_THROW(job::analyse(molecule, job::Request(), result, result.vectors), base::Error);
}

}  // namespace
}  // namespace cisolve::app

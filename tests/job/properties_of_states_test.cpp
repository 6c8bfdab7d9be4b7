#include <gtest/gtest.h>

#include <cmath>

#include "ci/fock/spaces/spaces.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "ci/properties/size_consistency.hpp"
#include "job/states/orbital_entropies.hpp"
#include "job/states/size_corrections.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/vectors.hpp"

// Reference energies, corrections for size consistency, and requested entropies.
namespace cisolve::app {
namespace {

const base::Backend kHostOfProperties = base::Backend::openmp();

job::DeterminantProblem problem_over(ci::Space space) {
  const int n = space.orbitals();
  std::vector<int> all;
  for (int p = 0; p < n; ++p) all.push_back(p);
  return {.integrals = test::random_integrals(n, false, 5, {}),
          .space = std::move(space),
          .window = {{}, all},
          .dialect = {},
          .orbitals = n,
          .warnings = {}};
}

job::DeterminantProblem two_references() {
  const std::vector<ci::Determinant> references = {ci::parse_determinant("22000", 5),
                                                   ci::parse_determinant("20200", 5)};
  return problem_over(
      ci::excited_space({5, 2, 2}, references, ci::levels_up_to(1), kHostOfProperties));
}

/// <P x | H | P x> / <P x | P x> with P onto the references, by a product with the whole matrix.
double energy_of_projection(const job::DeterminantProblem& problem, const double* x) {
  base::MultiVector part(kHostOfProperties, problem.space.dimension(), 1);
  base::MultiVector image(kHostOfProperties, problem.space.dimension(), 1);
  for (base::Index row = 0; row < part.rows(); ++row) part(row, 0) = 0;
  double norm = 0;
  for (const ci::Determinant& reference : problem.space.references()) {
    const base::Index row = *problem.space.row_of(reference);
    part(row, 0) = x[row];
    norm += x[row] * x[row];
  }
  ci::OracleOperator(problem.space, problem.integrals).apply(part.block(), image.block());
  double energy = 0;
  for (base::Index row = 0; row < part.rows(); ++row) energy += part(row, 0) * image(row, 0);
  return energy / norm;
}

TEST(ReferenceEnergy, IsTheEnergyOfAStatesPartOnItsReferences) {
  const job::DeterminantProblem problem = two_references();
  auto x = test::random_states(problem.space.dimension(), 1);
  const base::Index first = *problem.space.row_of(problem.space.references()[0]);
  x(first, 0) = 3;  // normalised below
  double square = 0;
  for (base::Index row = 0; row < x.rows(); ++row) square += x(row, 0) * x(row, 0);
  for (base::Index row = 0; row < x.rows(); ++row) x(row, 0) /= std::sqrt(square);
  const double* values = x.block().column(0);
  const auto found = job::reference_energy(problem, values, -7);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->energy, energy_of_projection(problem, values), 1e-12);
  const base::Index second = *problem.space.row_of(problem.space.references()[1]);
  EXPECT_NEAR(found->weight, values[first] * values[first] + values[second] * values[second],
              1e-15);
  ASSERT_TRUE(found->corrections);
  EXPECT_NEAR(found->corrections->davidson, (1 - found->weight) * (-7 - found->energy), 1e-14);
  EXPECT_EQ(found->corrections->pople,
            ci::size_corrections(-7, found->energy, found->weight, 4)->pople);
}

TEST(ReferenceEnergy, IsUndefinedWithoutWeightOnTheReferences) {
  const job::DeterminantProblem problem = two_references();
  std::vector<double> x(static_cast<std::size_t>(problem.space.dimension()));
  for (base::Index row = 0; row < problem.space.dimension(); ++row) {
    const ci::Determinant determinant = problem.space.determinant(row);
    x[static_cast<std::size_t>(row)] = std::ranges::find(problem.space.references(), determinant) ==
                                               problem.space.references().end()
                                           ? 0.5
                                           : 1e-9;  // rounding
  }
  EXPECT_FALSE(job::reference_energy(problem, x.data(), -7));
}

TEST(SizeCorrections, AreOfSpacesOfDoublesThatAreNotFullCi) {
  const std::vector<ci::Determinant> closed = {ci::aufbau(2, 2)};
  const auto has = [&](job::SpaceKind kind, base::Index level, const ci::Sector& sector) {
    const std::vector<ci::Determinant> reference = {
        ci::aufbau(sector.alpha_electrons, sector.beta_electrons)};
    const job::DeterminantProblem problem = problem_over(ci::excited_space(
        sector, reference, ci::levels_up_to(static_cast<int>(level)), kHostOfProperties));
    job::Request request;
    request.space.kind = kind;
    request.space.level = level;
    return job::has_size_corrections(request, problem);
  };
  const ci::Sector four{5, 2, 2};
  EXPECT_TRUE(has(job::SpaceKind::cisd, 2, four));
  EXPECT_TRUE(has(job::SpaceKind::cid, 2, four));
  EXPECT_TRUE(has(job::SpaceKind::cisdt, 3, four));
  EXPECT_TRUE(has(job::SpaceKind::mrci, 2, four));
  EXPECT_TRUE(has(job::SpaceKind::ci, 3, four));
  EXPECT_FALSE(has(job::SpaceKind::ci, 1, four));
  EXPECT_FALSE(has(job::SpaceKind::cis, 1, four));
  EXPECT_FALSE(has(job::SpaceKind::cisdtq, 4, four));     // full CI
  EXPECT_FALSE(has(job::SpaceKind::cisd, 2, {4, 1, 1}));  // CISD of two electrons
  EXPECT_FALSE(has(job::SpaceKind::cisd, 2, {5, 4, 4}));  // CISD of two holes
  EXPECT_FALSE(has(job::SpaceKind::selected, 2, four));
  EXPECT_FALSE(has(job::SpaceKind::fci, 2, four));
}

job::StateAnalysis entropies_of(const job::DeterminantProblem& problem, job::Entropies wanted,
                                int columns) {
  solver::Result result{.vectors = test::random_states(problem.space.dimension(), columns),
                        .layout = base::Layout::whole(problem.space.dimension())};
  job::Request request;
  request.analysis.entropies = wanted;
  job::StateAnalysis analysis;
  job::add_entropies(problem, request, result, analysis);
  return analysis;
}

TEST(Entropies, AreComputedOnRequest) {
  const job::DeterminantProblem problem = problem_over(ci::full_ci({4, 2, 2}, kHostOfProperties));
  EXPECT_FALSE(entropies_of(problem, job::Entropies::none, 2).entropies);
  const job::StateAnalysis found = entropies_of(problem, job::Entropies::all, 2);
  ASSERT_TRUE(found.entropies);
  EXPECT_EQ(found.entropies->orbitals, (std::vector<base::Index>{1, 2, 3, 4}));
  ASSERT_EQ(found.entropies->single.size(), 2U);
  EXPECT_EQ(found.entropies->single[1].size(), 4U);
  EXPECT_EQ(found.entropies->mutual[1].size(), 16U);
}

TEST(Entropies, AreLeftOutWholeWithoutMemoryForThem) {
  const job::DeterminantProblem problem = problem_over(ci::full_ci({4, 2, 2}, kHostOfProperties));
  base::MemoryBudget& budget = problem.space.host().host_memory();
  job::Request request;
  request.analysis.entropies = job::Entropies::all;
  job::StateAnalysis analysis;
  for (const auto& [columns, left] : {std::pair(1, 165), {50, 7900}}) {  // for tables, for results
    solver::Result result{.vectors = test::random_states(problem.space.dimension(), columns),
                          .layout = base::Layout::whole(problem.space.dimension())};
    const base::Reservation others(budget, budget.left() - left, "what others hold");
    EXPECT_THROW(job::add_entropies(problem, request, result, analysis), base::Error) << left;
    EXPECT_FALSE(analysis.entropies);
  }
}

}  // namespace
}  // namespace cisolve::app

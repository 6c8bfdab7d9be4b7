#include "job/states/leading_configurations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "ci/fock/spaces/spaces.hpp"
#include "tests/support/vectors.hpp"

// Configurations of states in words, and their weights.
namespace cisolve::app {
namespace {

const base::Backend kHostBackend = base::Backend::openmp();

/// Electrons that do not repel each other in orbitals of given energies, one list or one per spin.
job::DeterminantProblem orbitals_at(const std::vector<std::vector<double>>& energies,
                                    ci::Space space) {
  const int n = space.orbitals();
  ci::Integrals integrals(n, energies.size() > 1, kHostBackend);
  for (std::size_t s = 0; s < energies.size(); ++s)
    for (int p = 0; p < n; ++p)
      integrals.set_one(static_cast<ci::Spin>(s), p, p, energies[s][static_cast<std::size_t>(p)]);
  std::vector<int> all;
  for (int p = 0; p < n; ++p) all.push_back(p + 1);  // orbital 1 is frozen
  return {.integrals = std::move(integrals),
          .space = std::move(space),
          .window = {{0}, all},
          .dialect = {},
          .orbitals = n + 1,
          .warnings = {}};
}

std::string in_words(const job::OrbitalNames& names, const char* determinant) {
  return names.describe(ci::parse_determinant(determinant, 5)).excitation;
}

TEST(OrbitalNames, FollowTheEnergiesAndNotTheOrderOfTheFile) {
  const auto problem = orbitals_at({{-1, -3, 4, 2, -2}}, ci::full_ci({5, 3, 3}, kHostBackend));
  const job::OrbitalNames names(problem, ci::parse_determinant("22002", 5));
  EXPECT_EQ(in_words(names, "22002"), "");
  EXPECT_EQ(in_words(names, "2u0d2"), "HOMO-2 -> LUMO");
  EXPECT_EQ(in_words(names, "u2d02"), "HOMO -> LUMO+1");
}

TEST(OrbitalNames, SayHowManyElectronsGoFromWhereToWhere) {
  const auto problem = orbitals_at({{-1, -3, 4, 2, -2}}, ci::full_ci({5, 3, 3}, kHostBackend));
  const job::OrbitalNames names(problem, ci::parse_determinant("22002", 5));
  EXPECT_EQ(in_words(names, "u20d2"), "HOMO -> LUMO");
  EXPECT_EQ(in_words(names, "d20u2"), "HOMO -> LUMO");
  EXPECT_EQ(in_words(names, "22u0d"), "HOMO-1 -> LUMO+1");
  EXPECT_EQ(in_words(names, "02022"), "HOMO,HOMO -> LUMO,LUMO");
  EXPECT_EQ(in_words(names, "u2udd"), "HOMO,HOMO-1 -> LUMO,LUMO+1");
  EXPECT_EQ(in_words(names, "20ud2"), "HOMO-2,HOMO-2 -> LUMO,LUMO+1");
}

TEST(OrbitalNames, OfEqualEnergiesFollowTheirNumbers) {
  const auto problem = orbitals_at({{-1 - 1e-9, -1 + 1e-9, 1 + 2e-9, 1, 1 + 1e-9}},
                                   ci::full_ci({5, 2, 2}, kHostBackend));
  const job::OrbitalNames names(problem, ci::parse_determinant("22000", 5));
  EXPECT_EQ(in_words(names, "2ud00"), "HOMO -> LUMO");
  EXPECT_EQ(in_words(names, "u200d"), "HOMO-1 -> LUMO+2");
}

TEST(OrbitalNames, SinglyOccupiedOrbitalsAreNamedSomo) {
  const auto problem = orbitals_at({{-4, -1, -2, 1, 2}}, ci::full_ci({5, 3, 1}, kHostBackend));
  const job::OrbitalNames names(problem, ci::parse_determinant("2uu00", 5));
  EXPECT_EQ(in_words(names, "2u0u0"), "SOMO1 -> LUMO");
  EXPECT_EQ(in_words(names, "u2u00"), "HOMO -> SOMO2");
  const auto radical = orbitals_at({{-4, -1, -2, 1, 2}}, ci::full_ci({5, 2, 1}, kHostBackend));
  const job::OrbitalNames of_radical(radical, ci::parse_determinant("20u00", 5));
  EXPECT_EQ(in_words(of_radical, "2u000"), "SOMO -> LUMO");
}

TEST(OrbitalNames, RecoupledOpenShellsAreNoExcitation) {
  const auto problem = orbitals_at({{-4, -1, 0, 1, 2}}, ci::full_ci({5, 2, 2}, kHostBackend));
  const job::OrbitalNames names(problem, ci::parse_determinant("2ud00", 5));
  EXPECT_EQ(in_words(names, "2du00"), "");
  EXPECT_EQ(in_words(names, "2d0u0"), "SOMO2 -> LUMO");
}

TEST(OrbitalNames, CarryTheSpinIfOrbitalsDependOnIt) {
  const auto problem =
      orbitals_at({{-4, -1, 0, 1, 2}, {-1, -4, 1, 0, 2}}, ci::full_ci({5, 2, 2}, kHostBackend));
  const job::OrbitalNames names(problem, ci::parse_determinant("22000", 5));
  EXPECT_EQ(in_words(names, "2du00"), "HOMO(a) -> LUMO(a)");
  EXPECT_EQ(in_words(names, "2ud00"), "HOMO-1(b) -> LUMO+1(b)");
  const auto found =
      job::leading_configurations(problem, names, std::vector<double>(100, 0.1).data(), 100);
  EXPECT_EQ(found.size(), 100U);  // alpha and beta of one excitation are not the same
}

TEST(OrbitalNames, NumberOrbitalsAsTheProblemDoes) {
  const auto problem = orbitals_at({{-1, -3, 4, 2, -2}}, ci::full_ci({5, 3, 3}, kHostBackend));
  const job::OrbitalNames names(problem, ci::parse_determinant("22002", 5));
  const job::LeadingConfiguration found = names.describe(ci::parse_determinant("u2udd", 5));
  EXPECT_EQ(found.from, (std::vector<base::Index>{2, 6}));
  EXPECT_EQ(found.to, (std::vector<base::Index>{5, 4}));
  const job::ConfigurationReference reference = job::configuration_reference(problem, names);
  EXPECT_EQ(reference.determinant, "222002");
  EXPECT_EQ(reference.orbitals, (std::vector<base::Index>{3, 6, 2, 5, 4}));
  EXPECT_EQ(reference.names,
            (std::vector<std::string>{"HOMO-2", "HOMO-1", "HOMO", "LUMO", "LUMO+1"}));
  EXPECT_EQ(reference.energies, (std::vector<double>{-3, -2, -1, 2, 4}));
}

// J and K of a two-orbital model by hand: F_11 = h + (11|11), F_22 = h + 2 (11|22) - (12|12).
TEST(OrbitalNames, HaveTheEnergiesOfTheFockOperator) {
  auto problem = orbitals_at({{-2, -1}}, ci::full_ci({2, 1, 1}, kHostBackend));
  constexpr ci::Spin kA = ci::Spin::alpha;
  problem.integrals.set_two(kA, 0, 0, kA, 0, 0, 0.5);
  problem.integrals.set_two(kA, 0, 0, kA, 1, 1, 0.25);
  problem.integrals.set_two(kA, 0, 1, kA, 0, 1, 0.0625);
  const job::OrbitalNames names(problem, ci::parse_determinant("20", 2));
  EXPECT_NEAR(names.orbitals(kA)[0].energy, -1.5, 1e-15);
  EXPECT_NEAR(names.orbitals(kA)[1].energy, -0.5625, 1e-15);
}

/// Weights by the occupation of orbitals, from all determinants.
std::map<std::string, double> weights_by_occupation(const ci::Space& space, const double* x) {
  std::map<std::string, double> weights;
  for (base::Index row = 0; row < space.dimension(); ++row) {
    std::string text = ci::to_text(space.determinant(row), space.orbitals());
    for (char& c : text)
      if (c == 'd') c = 'u';
    weights[text] += x[row] * x[row];
  }
  return weights;
}

TEST(LeadingConfigurations, AreTheSumOfTheirDeterminants) {
  const std::vector<ci::Determinant> reference = {ci::aufbau(3, 2)};
  std::vector<ci::Space> spaces;
  spaces.push_back(ci::full_ci({5, 3, 2}, kHostBackend));
  spaces.push_back(ci::excited_space({5, 3, 2}, reference, ci::levels_up_to(1), kHostBackend));
  for (ci::Space& space : spaces) {
    const auto x = test::random_states(space.dimension(), 1);
    const double* values = x.block().column(0);
    std::vector<double> known;
    for (const auto& [text, weight] : weights_by_occupation(space, values)) known.push_back(weight);
    std::ranges::sort(known, std::ranges::greater());
    const auto problem = orbitals_at({{-3, -2, -1, 1, 2}}, std::move(space));
    const auto names = job::orbital_names(problem, values);
    ASSERT_TRUE(names);
    const auto found = job::leading_configurations(problem, *names, values, 1000);
    ASSERT_EQ(found.size(), known.size());
    for (std::size_t k = 0; k < known.size(); ++k) EXPECT_NEAR(found[k].weight, known[k], 1e-14);
    EXPECT_EQ(job::leading_configurations(problem, *names, values, 3).size(), 3U);
  }
}

// The order is fixed if only rounding distinguishes weights.
TEST(LeadingConfigurations, OfEqualWeightsAreOrderedByTheirBits) {
  const auto problem = orbitals_at({{-2, -1, 1, 2}}, ci::full_ci({4, 2, 2}, kHostBackend));
  std::vector<double> x(static_cast<std::size_t>(problem.space.dimension()));
  const auto at = [&](const char* text) -> double& {
    return x[static_cast<std::size_t>(*problem.space.row_of(ci::parse_determinant(text, 4)))];
  };
  for (const double rounding : {1e-9, -1e-9}) {
    at("2200") = 0.6;
    at("2020") = 0.6 + rounding;
    at("0202") = 0.3 + rounding;
    at("2002") = 0.3;
    const auto names = job::orbital_names(problem, x.data());
    EXPECT_EQ(names->reference(), ci::parse_determinant("2200", 4));
    std::vector<std::string> words;
    for (const auto& one : job::leading_configurations(problem, *names, x.data(), 4))
      words.push_back(one.excitation);
    EXPECT_EQ(words,
              (std::vector<std::string>{"", "HOMO,HOMO -> LUMO,LUMO", "HOMO,HOMO -> LUMO+1,LUMO+1",
                                        "HOMO-1,HOMO-1 -> LUMO+1,LUMO+1"}));
  }
}

TEST(LeadingConfigurations, AreNotReportedForSites) {
  auto problem = orbitals_at({{-3, -2}}, ci::full_ci({2, 1, 1}, kHostBackend));
  problem.has_sites = true;
  EXPECT_FALSE(job::orbital_names(problem, std::vector<double>{1, 0, 0, 0}.data()));
}

}  // namespace
}  // namespace cisolve::app

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ci/fock/integrals/random_integrals.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/properties/density.hpp"
#include "ci/properties/spin_squared.hpp"
#include "ci/properties/weights.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/solved.hpp"

// Random systems from scripts/generate-random-systems.py, with PySCF's results.
namespace cisolve::ci {
namespace {

using nlohmann::json;

using test::kHost;
constexpr double kEnergy = 1e-9;
constexpr double kElement = 1e-8;  // tolerance of quantities that depend on vectors

const json& systems() {
  static const json all = [] {
    std::ifstream file(CISOLVE_DATA "/random_systems.json");
    return json::parse(file)["systems"];
  }();
  return all;
}

std::vector<Determinant> determinants_of(const json& texts, int orbitals) {
  std::vector<Determinant> all;
  for (const std::string text : texts) all.push_back(parse_determinant(text, orbitals));
  return all;
}

Space space_of(const json& system) {
  Sector sector{system["orbitals"], system["alpha"], system["beta"]};
  sector.irreps = system["irreps"].get<std::vector<int>>();
  if (sector.irreps.empty()) sector.irreps.assign(sector.orbitals, 0);
  if (!system["irrep"].is_null()) sector.irrep = system["irrep"].get<int>();
  const std::string kind = system["kind"];
  if (kind == "excited")
    return excited_space(sector, determinants_of(system["references"], sector.orbitals),
                         system["levels"].get<std::vector<int>>(), kHost);
  if (kind == "ras")
    return restricted_active_space(
        sector, {system["ras1"], system["ras3"], system["holes"], system["particles"]}, kHost);
  if (kind == "list")
    return list_space(sector, determinants_of(system["determinants"], sector.orbitals), kHost);
  return full_ci(sector, kHost);
}

Integrals integrals_of(const json& system) {
  return random_integrals({.orbitals = system["orbitals"],
                           .spin_dependent = system["spin_dependent"],
                           .coupling = system["coupling"],
                           .irreps = system["irreps"].get<std::vector<int>>(),
                           .seed = system["seed"]},
                          kHost);
}

void expect_one_particle(const Space& space, const double* x, const json& density) {
  const OneParticleDensity one = one_particle_density(space, x);
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    const json& expected = density[spin == Spin::alpha ? "alpha" : "beta"];
    std::size_t next = 0;
    double trace = 0;
    for (int p = 0; p < space.orbitals(); ++p) {
      trace += one(spin, p, p);
      for (int q = 0; q <= p; ++q) {
        EXPECT_NEAR(one(spin, p, q), expected[next], kElement);
        EXPECT_NEAR(one(spin, q, p), expected[next++], kElement);
      }
    }
    EXPECT_EQ(next, expected.size());
    EXPECT_NEAR(trace, space.electrons(spin), 1e-12);
  }
}

void expect_two_particle(const Space& space, const double* x, const json& density) {
  const TwoParticleDensity two(space, x);
  const auto element = [&](const std::string& block, int p, int q, int r, int s) {
    if (block == "ab") return two.mixed(p, q, r, s);
    return two.same(block == "aa" ? Spin::alpha : Spin::beta, p, q, r, s);
  };
  for (const json& entry : density["elements"])
    EXPECT_NEAR(element(entry[0], entry[1], entry[2], entry[3], entry[4]), entry[5], kElement);
  for (const auto& [block, expected] : density["squares"].items()) {
    double sum = 0;
    const int n = space.orbitals();
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q)
        for (int r = 0; r < n; ++r)
          for (int s = 0; s < n; ++s) sum += std::pow(element(block, p, q, r, s), 2);
    EXPECT_NEAR(sum, expected, 100 * kElement) << block;
  }
}

void expect_state(const Space& space, const json& system, const double* x, const json& state) {
  base::MultiVector vector(kHost, space.dimension(), 1);
  base::MultiVector image(kHost, space.dimension(), 1);
  std::copy_n(x, space.dimension(), vector.block().column(0));
  SpinSquared(space).apply(std::as_const(vector).block(), image.block());
  double s2 = 0;
  for (Index i = 0; i < space.dimension(); ++i) s2 += x[i] * image(i, 0);
  EXPECT_NEAR(s2, state["s2"], kElement);
  if (state.contains("irrep")) {
    const auto weights = irrep_weights(space, system["irreps"].get<std::vector<int>>(), x);
    EXPECT_NEAR(weights[state["irrep"].get<std::size_t>()], 1, kElement);
  }
  expect_one_particle(space, x, state["density"]);
  expect_two_particle(space, x, state["density"]);
}

class RandomSystems : public ::testing::TestWithParam<std::size_t> {};

TEST_P(RandomSystems, HaveTheEnergiesOfPyscf) {
  const json& system = systems().at(GetParam());
  const Space space = space_of(system);
  ASSERT_EQ(space.dimension(), system["dimension"]);
  const Integrals integrals = integrals_of(system);
  const auto states = static_cast<int>(system["states"].size());
  const solver::Result result = test::solved(space, integrals, states, 1e-10);
  for (int j = 0; j < states; ++j) {
    SCOPED_TRACE("state " + std::to_string(j + 1));
    const json& state = system["states"][j];
    EXPECT_NEAR(result.states[j].energy, state["energy"], kEnergy);
    if (!state.contains("density")) continue;  // the state may mix with its neighbour
    const double* x = result.vectors.block().column(j);
    expect_state(space, system, x, state);
    EXPECT_NEAR(energy(integrals, one_particle_density(space, x), TwoParticleDensity(space, x)),
                state["energy"], kEnergy);
  }
}

std::string name_of(std::size_t number) {
  const std::string kind = systems()[number]["kind"];
  return std::to_string(number) + "_" + kind;
}

INSTANTIATE_TEST_SUITE_P(Pyscf, RandomSystems, ::testing::Range(std::size_t{0}, systems().size()),
                         [](const auto& parameter) { return name_of(parameter.param); });

}  // namespace
}  // namespace cisolve::ci

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ci/fock/spaces/spaces.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "ci/properties/spin_squared.hpp"
#include "sparse/formats/csr.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/solved.hpp"

// Energies published with the integrals of other programs. Their files are not part of this tree;
// without them these tests are skipped.
namespace cisolve::ci {
namespace {

using test::kHost;

struct Reference {
  std::string file;
  int orbitals;
  int alpha_electrons;
  int beta_electrons;
  Index dimension;
  std::vector<double> energies;  // energies of the states in this space, ascending
  std::vector<double> s2 = {0};  // <S^2> of the lowest states
  bool are_lowest = true;        // false: they are among the lowest eight
};

std::vector<Reference> references() {
  return {{"forte_36.fcidump", 4, 2, 2, 36, {-1.926739016209154}},
          {"forte_100.fcidump", 10, 1, 1, 100, {-1.163012998021681}},
          {"n2_6e6o.fcidump", 6, 3, 3, 400, {-108.735643095287}},
          {"n2_3a_localised.fcidump",
           6,
           3,
           3,
           400,
           {-107.438376573062, -107.438201958568, -107.43785038266},
           {0, 2, 6, 12}},
          {"h2o_sto2g.fcidump",
           7,
           5,
           5,
           441,
           {-72.786196191345, -72.317128060987},
           {0, 2, 0, 2},
           false},
          {"o2.fcidump", 8, 6, 6, 784, {-149.704931693051, -149.677601563788}, {2, 0, 0, 0}},
          {"he2.fcidump", 10, 2, 2, 2025, {-5.76217597349}},
          {"h8_sto6g.fcidump", 8, 4, 4, 4900, {-4.345079402666}},
          {"hubbard_l8.fcidump", 8, 4, 4, 4900, {-6.225634144682}},
          {"n2_sto3g.fcidump",
           10,
           7,
           7,
           14400,
           {-107.654122447525, -107.356943001691, -107.356943001691},
           {0, 2, 2}},
          {"n2_sto6g.fcidump", 10, 7, 7, 14400, {-108.670707597695}}};
}

bool is_missing(const std::string& file) {
  return !std::filesystem::exists(test::reference_data() / file);
}

struct Found {
  std::vector<double> energies;
  std::vector<double> s2;
};

/// The lowest states of a stored Hamiltonian, each checked by the oracle.
Found lowest(const Space& space, const Integrals& integrals, int states) {
  const solver::Result result = test::solved(space, integrals, states);
  const OracleOperator direct(space, integrals);
  base::MultiVector image(kHost, space.dimension(), result.vectors.columns());
  direct.apply(result.vectors.block(), image.block());
  base::MultiVector s2_times(kHost, space.dimension(), result.vectors.columns());
  SpinSquared(space).apply(result.vectors.block(), s2_times.block());
  Found found;
  for (int j = 0; j < states; ++j) {
    const double energy = result.states[j].energy;
    double residual = 0;
    double s2 = 0;
    for (Index i = 0; i < space.dimension(); ++i) {
      residual += std::pow(image(i, j) - energy * result.vectors(i, j), 2);
      s2 += s2_times(i, j) * result.vectors(i, j);
    }
    EXPECT_LT(std::sqrt(residual), 1e-7) << "state " << j;
    found.energies.push_back(energy);
    found.s2.push_back(s2);
  }
  return found;
}

class References : public ::testing::TestWithParam<Reference> {
 protected:
  void SetUp() override {
    if (is_missing(GetParam().file)) GTEST_SKIP() << "no reference data: " << GetParam().file;
  }
};

TEST_P(References, EnergiesAndSpinsAgreeWithOtherPrograms) {
  const Reference& expected = GetParam();
  const Integrals integrals = test::plain_integrals(expected.file, expected.orbitals, false);
  const Space space =
      full_ci({expected.orbitals, expected.alpha_electrons, expected.beta_electrons}, kHost);
  ASSERT_EQ(space.dimension(), expected.dimension);
  const auto count = static_cast<int>(expected.energies.size());
  const auto spins = static_cast<int>(expected.s2.size());
  const auto [found, s2] =
      lowest(space, integrals, expected.are_lowest ? std::max(count, spins) : 8);
  EXPECT_NEAR(found[0], expected.energies[0], 1e-9);
  for (int i = 1; i < count; ++i) {
    double nearest = expected.are_lowest ? found[i] : found[0];
    for (const double energy : found)
      if (!expected.are_lowest &&
          std::abs(energy - expected.energies[i]) < std::abs(nearest - expected.energies[i]))
        nearest = energy;
    EXPECT_NEAR(nearest, expected.energies[i], 1e-9) << "state " << i;
  }
  for (int i = 0; i < spins; ++i) EXPECT_NEAR(s2[i], expected.s2[i], 1e-9) << "state " << i;
}

/// Every small full-CI case of the list is tested.
TEST(ReferenceList, HasNoSmallCaseThatIsNotTested) {
  constexpr Index most_rows = 70'000;
  std::ifstream file(test::reference_data() / "references.json");
  if (!file) GTEST_SKIP() << "no reference data: references.json";
  const auto list = nlohmann::json::parse(file);
  for (const auto& entry : list["cases"]) {
    if (entry["dimension"] > most_rows || entry["space"] != "fci") continue;
    const std::string name = entry["file"];
    const auto all = references();
    const auto tested = std::ranges::find(all, name, &Reference::file);
    ASSERT_NE(tested, all.end()) << name;
    EXPECT_EQ(tested->dimension, entry["dimension"]) << name;
    std::vector<double> energies;
    if (entry.contains("recomputed"))
      energies.push_back(entry["recomputed"]);
    else if (entry.contains("published"))
      energies.push_back(entry["published"]);
    for (const char* key : {"recomputed_by_spin", "lowest_triplets"})
      if (entry.contains(key))
        for (const double energy : entry[key]) energies.push_back(energy);
    if (entry.contains("published_second_in_same_irrep"))
      energies.push_back(entry["published_second_in_same_irrep"]);
    if (entry.contains("recomputed_states"))
      for (const auto& state : entry["recomputed_states"]) energies.push_back(state[0]);
    EXPECT_EQ(tested->energies, energies) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Fci, References, ::testing::ValuesIn(references()),
                         [](const auto& parameter) {
                           return parameter.param.file.substr(0, parameter.param.file.find('.'));
                         });

class Water : public ::testing::Test {
 protected:
  static constexpr const char* kFile = "h2o_ccpvdz_headerless.dat";
  void SetUp() override {
    if (is_missing(kFile)) GTEST_SKIP() << "no reference data: " << kFile;
  }
  const std::vector<Determinant> reference = {aufbau(5, 5)};
  const Sector sector = {24, 5, 5};
};

TEST_F(Water, SinglesAndDoublesHaveThePublishedSizeAndEnergy) {
  const Integrals integrals = test::plain_integrals(kFile, sector.orbitals, true);
  const Space space = excited_space(sector, reference, levels_up_to(2), kHost);
  ASSERT_EQ(space.dimension(), 12636);
  const Partition canonical(kHost);
  const auto stored = [&](double threshold) {
    return sparse::build_csr(HamiltonianRows(space, integrals, canonical, threshold), kHost)
        .nonzeros();
  };
  EXPECT_EQ(stored(0), 3521064);
  EXPECT_EQ(stored(1e-14), 2971740);
  EXPECT_NEAR(lowest(space, integrals, 1).energies[0], -76.23197835987, 1e-9);
  EXPECT_NEAR(HamiltonianDiagonal(space, integrals)(0, 0), -76.0267803489, 1e-9);
}

TEST_F(Water, EnergiesFallAsTheLevelRises) {
  const Integrals integrals = test::plain_integrals(kFile, sector.orbitals, true);
  const auto energy = [&](std::vector<int> levels) {
    return lowest(excited_space(sector, reference, levels, kHost), integrals, 1).energies[0];
  };
  const double hartree_fock = -76.0267803489;
  EXPECT_NEAR(energy({0}), hartree_fock, 1e-9);
  EXPECT_NEAR(energy({0, 1}), hartree_fock, 1e-9);  // Brillouin's theorem
  const double doubles = energy({0, 2});
  EXPECT_LT(doubles, hartree_fock - 0.1);
  EXPECT_GT(doubles, -76.23197835987);
}

}  // namespace
}  // namespace cisolve::ci

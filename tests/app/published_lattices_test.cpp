#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "jobs.hpp"
#include "tests/support/electron_oracle.hpp"
#include "tests/support/sanitizers.hpp"

// Published lattice energies of XDiag 0.5.0. Its tests cite ALPS, a DMRG and Matlab; its examples
// were solved by bench/compare_lattices --cases published.
namespace cisolve::test {
namespace {

using nlohmann::json;

struct Bond {
  int a, b;  // sites, counted from 0
  double strength;
  const char* kind;
};

class PublishedLattices : public JobsTest {
 protected:
  PublishedLattices() : JobsTest("problem:\n  lattice: {") {}
  std::vector<double> energies_of(const std::string& lattice, const std::string& rest = "") const {
    return energies(solved(lattice, rest));
  }
  double energy_of(const std::string& lattice, const std::string& rest = "") const {
    return energies_of(lattice, rest).front();
  }
  static std::string graph(const char* model, const std::vector<Bond>& bonds) {
    std::string list;
    for (const auto& [a, b, strength, kind] : bonds) {
      list += list.empty() ? "[" : ", [";
      list += std::to_string(a + 1) + ", " + std::to_string(b + 1) + ", ";
      list += json(strength).dump() + ", " + kind + "]";
    }
    return std::string("model: ") + model + ", shape: graph, bonds: [" + list + "]";
  }
};

using Steps = std::vector<std::pair<int, int>>;
const Steps kSquare = {{1, 0}, {0, 1}};
const Steps kTriangles = {{1, 0}, {0, 1}, {1, -1}};

/// Neighbours on a torus: sites that differ by (a, b) or (c, d) are equal, a d > b c.
std::vector<std::pair<int, int>> neighbours_on_torus(int a, int b, int c, int d,
                                                     const Steps& steps) {
  const int sites = a * d - b * c;
  const auto floored = [&](int n) { return n < 0 ? -((sites - 1 - n) / sites) : n / sites; };
  const auto wrapped = [&](int x, int y) {
    const int u = floored(x * d - y * c);
    const int v = floored(y * a - x * b);
    return std::pair(x - u * a - v * c, y - u * b - v * d);
  };
  std::vector<std::pair<int, int>> places;
  for (int x = -2 * sites; x <= 2 * sites; ++x)
    for (int y = -2 * sites; y <= 2 * sites; ++y)
      if (wrapped(x, y) == std::pair(x, y)) places.emplace_back(x, y);
  EXPECT_EQ(std::ssize(places), sites);
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < sites; ++i)
    for (const auto& [x, y] : steps) {
      const auto there = wrapped(places[i].first + x, places[i].second + y);
      pairs.emplace_back(i, std::ranges::find(places, there) - places.begin());
    }
  return pairs;
}

std::vector<Bond> of_kind(const std::vector<std::pair<int, int>>& pairs, double strength,
                          const char* kind) {
  std::vector<Bond> bonds;
  for (const auto& [a, b] : pairs) bonds.push_back({a, b, strength, kind});
  return bonds;
}

// XDiag 0.5.0, tests/kernels/terms/test_non_branching_op.cpp, there by DMRG; and
// tests/blocks/spinhalf/testcases_spinhalf.cpp, a plane of triangles with 12 spins, eta = 0.
TEST_F(PublishedLattices, SpinsHaveTheEnergiesOfXDiagsTests) {
  std::vector<Bond> ising;
  for (int a = 0; a < 14; ++a) ising.push_back({a, a, 1, "hx"});
  for (int a = 0; a < 13; ++a) ising.push_back({a, a + 1, 1, "Jz"});
  EXPECT_NEAR(energy_of(graph("heisenberg", ising)), -7.411918598647893, 1e-10);
  const auto twelve = of_kind(neighbours_on_torus(2, -4, 2, 2, kTriangles), 1, "J");
  ASSERT_EQ(twelve.size(), 36U);
  EXPECT_NEAR(energy_of(graph("heisenberg", twelve)), -7.3239616252546069, 1e-10);
  EXPECT_NEAR(energy_of(graph("heisenberg", twelve), "solver: {method: dense}\n"),
              -7.3239616252546069, 1e-10);
}

// XDiag 0.5.0, its documentation's examples, by its Lanczos to 1e-15 of their energies.
TEST_F(PublishedLattices, SpinsHaveTheEnergiesOfXDiagsExamples) {
  for (const auto& [sites, energy] :
       {std::pair("14", -6.26354953354704), {"18", -8.02274908703376}})
    EXPECT_NEAR(
        energy_of(std::string("model: heisenberg, periodic_columns: true, columns: ") + sites),
        energy, 1e-10);
  std::vector<Bond> far;  // tos_alpha_xx
  for (int a = 0; a < 14; ++a)
    for (int b = a + 1; b < 14; ++b) far.push_back({a, b, -1 / (std::sqrt(14) * (b - a)), "Jxy"});
  EXPECT_NEAR(energy_of(graph("heisenberg", far)), -2.31161445752911, 1e-10);
  std::vector<Bond> nonintegrable;  // spinhalf_chain_level_statistics
  for (int a = 0; a < 18; ++a) {
    nonintegrable.push_back({a, (a + 1) % 18, 1, "Jz"});
    nonintegrable.push_back({a, (a + 1) % 18, 0.5, "Jxy"});
    nonintegrable.push_back({a, (a + 2) % 18, 0.5, "Jz"});
  }
  EXPECT_NEAR(energy_of(graph("heisenberg", nonintegrable)), -4.90759577226479, 1e-10);
  const auto triangles = neighbours_on_torus(4, -2, 1, 4, kTriangles);  // tos_triangular
  EXPECT_NEAR(energy_of(graph("heisenberg", of_kind(triangles, 1, "J"))), -10.5946183319876, 1e-10);
}

TEST_F(PublishedLattices, ElectronsHaveTheEnergiesOfXDiagsExamples) {
  std::vector<Bond> eight = of_kind(neighbours_on_torus(2, -2, 2, 2, kSquare), 1, "t");
  for (int a = 0; a < 8; ++a) eight.push_back({a, a, 1.5, "U"});  // hubbard_greens_f
  EXPECT_NEAR(energy_of(graph("hubbard", eight), "  electrons: 8\n"), -6.81483065110059, 1e-10);
  // ahm_correlations: on a periodic square of two by two sites each bond occurs twice.
  EXPECT_NEAR(energy_of("columns: 2, rows: 2, t: 2, u: -10"), -23.6885775404495, 1e-10);
  // specific_heat_tJ_triangular: eleven sites in rows of three, four and four.
  const std::vector<std::pair<int, int>> open = {
      {0, 1}, {1, 2}, {0, 3}, {0, 4}, {1, 4}, {1, 5}, {2, 5},  {2, 6}, {3, 4}, {4, 5}, {5, 6},
      {3, 7}, {4, 7}, {4, 8}, {5, 8}, {5, 9}, {6, 9}, {6, 10}, {7, 8}, {8, 9}, {9, 10}};
  std::vector<Bond> hole = of_kind(open, 1, "t");
  for (const Bond& bond : of_kind(open, 0.4, "J")) hole.push_back(bond);
  for (const Bond& bond : of_kind(open, -0.1, "V")) hole.push_back(bond);
  EXPECT_NEAR(energy_of(graph("t-j", hole), "  electrons: 10\n"), -6.62219158626574, 1e-10);
}

// XDiag 0.5.0, tests/blocks/tj/test_tj_matrix.cpp: a t-J ring of six with t = J = 1 and J S_a . S_b
// without the density term, to the eight digits given, by electrons of either spin.
TEST_F(PublishedLattices, ATJRingOfSixHasTheEnergiesOfXDiagsTable) {
  constexpr struct {
    int up, down;
    double energy;
  } table[] = {{1, 0, -2},          {2, 0, -2.96081311}, {3, 0, -3.79610527}, {4, 0, -2.46081311},
               {5, 0, -1},          {6, 0, 1.5},         {1, 1, -3.61222054}, {1, 2, -4.04537829},
               {1, 3, -4.10768318}, {1, 4, -2.42705097}, {1, 5, -0.5},        {2, 2, -4.16447847},
               {2, 3, -3.52922048}, {2, 4, -2.11803398}, {3, 3, -2.80277563}};
  for (const auto& [up, down, energy] : table) {
    const std::string electrons = "  electrons: " + std::to_string(up + down) +
                                  "\n  ms2: " + std::to_string(up - down) + "\n";
    EXPECT_NEAR(
        energy_of("model: t-j, columns: 6, periodic_columns: true, j: 1, v: 0.25", electrons),
        energy, 2e-8)
        << up << ' ' << down;
  }
}

// Spectra of ALPS from the same source for J (S_a . S_b - n_a n_b / 4): the lowest of six sites
// over all numbers of electrons and spins. Each sector is also compared with a naive twin.
TEST_F(PublishedLattices, ATJRingOfSixHasTheLowestEnergyOfAlps) {
  NaiveElectrons::Model model{.sites = 6, .j = 1, .allows_double_occupancy = false};
  for (int a = 0; a < 6; ++a) model.bonds.push_back({a, (a + 1) % 6});
  double lowest = 0;
  for (int up = 1; up <= 3; ++up)
    for (int down = 0; down <= up; ++down) {
      const std::string electrons = "  electrons: " + std::to_string(up + down) +
                                    "\n  ms2: " + std::to_string(up - down) + "\n";
      const double energy =
          energy_of("model: t-j, columns: 6, periodic_columns: true, j: 1", electrons);
      EXPECT_NEAR(energy, NaiveElectrons(model, up, down).spectrum()[0], 1e-10);
      lowest = std::min(lowest, energy);
    }
  EXPECT_NEAR(lowest, -4.718848588389245, 1e-10);
}

// XDiag 0.5.0, tests/blocks/tj/testcases_tj.cpp, there by Matlab: four sites, each coupled to all.
TEST_F(PublishedLattices, ElectronsCoupledAtRandomHaveTheSpectrumOfMatlab) {
  const std::string four = graph("t-j", {{0, 1, 3, "t"},
                                         {0, 2, 5, "t"},
                                         {0, 3, -3, "t"},
                                         {1, 2, -4, "t"},
                                         {1, 3, 1, "t"},
                                         {2, 3, -4, "t"},
                                         {0, 1, -1, "J"},
                                         {0, 2, -3, "J"},
                                         {0, 3, -4, "J"},
                                         {1, 2, 4, "J"},
                                         {1, 3, 1, "J"},
                                         {2, 3, 4, "J"}});
  std::vector<double> all = {0};  // the state without electrons
  for (int up = 0; up <= 4; ++up)
    for (int down = 0; up + down <= 4; ++down) {
      if (up + down == 0) continue;
      const auto some = energies_of(four, "  electrons: " + std::to_string(up + down) +
                                              "\n  ms2: " + std::to_string(up - down) +
                                              "\nsolver: {states: 100, method: dense}\n");
      all.insert(all.end(), some.begin(), some.end());
    }
  ASSERT_EQ(all.size(), 81U);
  std::ranges::sort(all);
  const double lowest[] = {-11.216998269991262, -11.216998269991262, -11.216998269991256,
                           -10.855731362614462, -10.855731362614454, -10.732025793386637,
                           -8.304942578192211,  -8.304942578192204,  -8.119358343882128};
  for (std::size_t i = 0; i < std::size(lowest); ++i) EXPECT_NEAR(all[i], lowest[i], 1e-10);
  for (int i = 78; i < 81; ++i) EXPECT_NEAR(all[i], 11.248037068163532, 1e-10);
  EXPECT_NEAR(all[77], 11.065227832307894, 1e-10);
}

// scripts/generate-lattice-energies.py, by matrices of Jordan and Wigner. Of momenta other than 0
// and pi there are two with the same energies.
TEST_F(PublishedLattices, HubbardModelsHaveTheEnergiesThatSciPyFinds) {
  const json file = json::parse(read_file(std::string(CISOLVE_DATA) + "/lattice_energies.json"));
  ASSERT_EQ(file["cases"].size(), 3U);
  EXPECT_EQ(file["cases"][2]["rows_of_all"], 853776);
  for (const json& one : file["cases"]) {
    if (kSanitized && one["rows_of_all"] > 100000) continue;
    const int columns = one["columns"];
    const int rows = one["rows"];
    std::vector<double> expected;
    if (one.contains("lowest")) expected.push_back(one["lowest"]);
    for (const json& sector : one.value("sectors", json::array())) {
      const int kx = sector["momentum"][0];
      const int ky = sector["momentum"][1];
      const bool alone = 2 * kx % columns == 0 && 2 * ky % rows == 0;
      for (const double energy : sector["energies"])
        expected.insert(expected.end(), alone ? 1 : 2, energy);
    }
    std::ranges::sort(expected);
    // Each momentum gives its lowest two states, so that the lowest two of all are among them.
    const std::size_t states = std::min<std::size_t>(expected.size(), 2);
    const auto found =
        energies_of("periodic_columns: true, columns: " + std::to_string(columns) +
                        ", rows: " + std::to_string(rows) + ", u: " + one["u"].dump() +
                        (rows > 1 ? ", periodic_rows: true" : ""),
                    "  electrons: " + std::to_string(2 * one["each"].get<int>()) +
                        "\nsolver: {states: " + std::to_string(states) + "}\n");
    ASSERT_EQ(found.size(), states);
    for (std::size_t i = 0; i < states; ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-10) << columns << ' ' << rows;
  }
}

}  // namespace
}  // namespace cisolve::test

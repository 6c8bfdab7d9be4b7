#include <nlohmann/json.hpp>

#include "jobs.hpp"

// Populations, Molden and cube files of jobs whose problem brings its orbitals. References for LiH
// in the STO-3G basis by PySCF: dense diagonalisation, its overlap and its populations.
namespace cisolve::test {
namespace {

using nlohmann::json;

constexpr double kMullikenOfLithium = -0.020797138539;
constexpr double kLoewdinOfLithium = -0.020437639739;
constexpr double kMullikenSpin = 1.161194776353;  // of the lowest triplet at Ms = 1, on lithium
constexpr double kLoewdinSpin = 1.238323455565;

const std::string kFolder = std::string(CISOLVE_DATA) + "/";

class OrbitalFilesTest : public JobsTest {
 protected:
  static std::string lih(const std::string& operators = "lih_sto3g.orbitals.h5") {
    return "fcidump: " + kFolder + "lih_sto3g.fcidump, operators: " + kFolder + operators;
  }
  bool exists(const std::string& name) const {
    return std::filesystem::exists(file("out/" + name));
  }
};

TEST_F(OrbitalFilesTest, PopulationsAreThoseOfPyscf) {
  const std::string asked = "analysis: {properties: [dipole, populations]}\n";
  const json record = solved(lih(), "solver: {states: 2, tolerance: 1e-10}\n" + asked);
  EXPECT_EQ(record["atoms"], json({"Li", "H"}));
  const json& state = record["states"][0]["populations"];
  EXPECT_NEAR(state["mulliken"]["charges"][0], kMullikenOfLithium, 1e-7);
  EXPECT_NEAR(state["loewdin"]["charges"][0], kLoewdinOfLithium, 1e-7);
  EXPECT_NEAR(state["mulliken"]["charges"][1], -kMullikenOfLithium, 1e-7);
  EXPECT_NEAR(state["mulliken"]["spins"][1], 0, 1e-8);
  EXPECT_EQ(record["transitions"].size(), 1U);
  const json triplet =
      solved(lih(), "space: {electrons: [3, 1]}\nanalysis: {properties: [populations]}\n");
  EXPECT_NEAR(triplet["states"][0]["populations"]["mulliken"]["spins"][0], kMullikenSpin, 1e-7);
  EXPECT_NEAR(triplet["states"][0]["populations"]["loewdin"]["spins"][0], kLoewdinSpin, 1e-7);
  EXPECT_TRUE(triplet["operators"].empty());
}

TEST_F(OrbitalFilesTest, NoPopulationsAreComputedUnasked) {
  const json record = solved(lih());
  EXPECT_FALSE(record["states"][0].contains("populations"));
  EXPECT_TRUE(record["atoms"].empty());
}

TEST_F(OrbitalFilesTest, TheTableNamesAtomsAndStates) {
  const Finished finished =
      run_job(lih(), "solver: {states: 2}\nanalysis: {properties: [populations]}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  for (const char* words : {"Populations of atoms", "Mulliken charge", "1 Li", "2 H", "-0.020797"})
    EXPECT_NE(finished.out.find(words), std::string::npos) << words << '\n' << finished.out;
  EXPECT_EQ(finished.out.find("Dipole"), std::string::npos);
}

TEST_F(OrbitalFilesTest, FilesAreWrittenForTheProblemAndEachState) {
  const std::string keys =
      "solver: {states: 2}\noutput: {molden: true, cube: [density, natural_2, orbital_3], "
      "cube_spacing: 0.7, cube_margin: 2}\n";
  solved(lih(), keys);
  for (const char* name :
       {"orbitals.molden", "natural-1.molden", "natural-2.molden", "density-1.cube",
        "density-2.cube", "natural_2-1.cube", "natural_2-2.cube", "orbital_3.cube"})
    EXPECT_TRUE(exists(name)) << name;
  EXPECT_NE(read_file(file("out/natural-2.molden")).find("natural orbitals of state 2"),
            std::string::npos);
  EXPECT_NE(read_file(file("out/density-1.cube")).find("0.70000000 0.00000000"), std::string::npos);
}

TEST_F(OrbitalFilesTest, FilesOfOthersAreNotReplacedWithoutForce) {
  write_file(file("b.yaml"), "problem: {" + lih() + "}\noutput: {molden: true}\n");
  std::filesystem::create_directories(file("out"));
  write_file(file("out/natural-1.molden"), "mine");
  const Finished refused = run({"b.yaml"});
  EXPECT_EQ(refused.code, 73);
  EXPECT_NE(refused.err.find("natural-1.molden"), std::string::npos) << refused.err;
  EXPECT_EQ(read_file(file("out/natural-1.molden")), "mine");
  EXPECT_FALSE(exists("results.h5"));
  EXPECT_EQ(run({"b.yaml", "--force"}).code, 0);
  EXPECT_NE(read_file(file("out/natural-1.molden")), "mine");
}

TEST_F(OrbitalFilesTest, WhatCannotBeIsRefusedBeforeTheSolutionWithTheRemedy) {
  const std::string without = lih("lih_sto3g.operators.h5");
  expect_refused(without, "analysis: {properties: [populations]}\n",
                 "names populations, but the problem brings no basis functions; expected "
                 "'problem.operators: FILE.h5' with a group /basis");
  expect_refused(without, "output: {molden: true}\n",
                 "output.molden asks for files, but the problem brings no basis functions");
  expect_refused(lih(), "output: {cube: [spin]}\n",
                 "output.cube names spin; expected density, spin_density, natural_N");
  expect_refused(lih(), "output: {cube: [orbital_7]}\n",
                 "output.cube names orbital_7: orbital 7; expected 1 to 6");
  expect_refused(lih(), "output: {cube: [beta_orbital_1]}\n", "expected orbital_1");
  expect_refused(lih(), "output: {cube: [density, density]}\n", "output.cube names density twice");
  expect_refused(lih(), "output: {cube: [density], cube_spacing: 0.01, cube_margin: 100}\n",
                 "points; expected at most 1,000,000,000");
  expect_refused(lih(), "output: {molden: true}\nanalysis: {densities: none}\n",
                 "asks for files of each state, but analysis.densities is none");
  EXPECT_FALSE(exists("results.h5"));
  const Finished checked = run({"check", "a.yaml"});
  EXPECT_EQ(checked.code, 78);
  EXPECT_NE(checked.err.find("analysis.densities is none"), std::string::npos) << checked.err;
}

}  // namespace
}  // namespace cisolve::test

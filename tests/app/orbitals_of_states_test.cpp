#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "jobs.hpp"

// Natural transition orbitals, Dyson orbitals and integrals over natural orbitals, as the program
// tells them. References for water in the STO-3G basis by PySCF: dense diagonalisation, des_a and
// des_b.
namespace cisolve::test {
namespace {

using nlohmann::json;

const std::string kFiles = std::string(CISOLVE_DATA) + "/";
constexpr double kIonisation[] = {0.3175975178888706, 0.40659855197978345, 0.6131120637568586};
constexpr double kPole[] = {0.9255583780917213, 0.9354171462829909, 0.9607447046068016};

class OrbitalsOfStatesTest : public JobsTest {
 protected:
  static std::string water_file() { return "fcidump: " + kFiles + "h2o_sto3g.fcidump"; }
  static std::string lih_file() {
    return "fcidump: " + kFiles + "lih_sto3g.fcidump, operators: " + kFiles +
           "lih_sto3g.operators.h5";
  }
  /// Solves into a folder of another name.
  std::string solved_into(const std::string& folder, const std::string& problem,
                          const std::string& rest) const {
    const Finished finished = run_job(problem, rest + "output: {directory: " + folder + "}\n");
    EXPECT_EQ(finished.code, 0) << finished.err;
    return file(folder + "/results.h5");
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(OrbitalsOfStatesTest, TransitionOrbitalsAreThereIfTheyAreAskedFor) {
  const json without = solved(lih_file(), "solver: {states: 7}\n");
  EXPECT_TRUE(without["transition_orbitals"].is_null());
  const Finished finished =
      run_job(lih_file(), "solver: {states: 7}\nanalysis: {orbitals: transition}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(has(finished.out, "Natural transition orbitals from state 1")) << finished.out;
  EXPECT_TRUE(has(finished.out, "Transition orbitals of the states of one energy together"));
  const json found = json::parse(read_file(file("out/run.json")))["transition_orbitals"];
  ASSERT_EQ(found["transitions"].size(), 6U);
  for (const json& one : found["transitions"]) {
    double sum = 0;
    for (const double weight : one["alpha"]["weights"]) sum += weight;
    EXPECT_NEAR(one["alpha"]["weight"], sum, 1e-14);
    EXPECT_NEAR(one["beta"]["weight"], sum, 1e-8);  // of a closed shell to a singlet or triplet
    EXPECT_GE(one["alpha"]["participation"], 1 - 1e-12);
  }
  ASSERT_EQ(found["levels"].size(), 4U);
  EXPECT_EQ(found["levels"][2]["states"], json({4, 5}));  // a doubly degenerate level
  const json& level = found["levels"][3]["alpha"];
  EXPECT_EQ(found["levels"][3]["states"], json({6, 7}));
  EXPECT_NEAR(level["particle_weights"][0], level["particle_weights"][1], 1e-8);  // pi orbitals
}

TEST_F(OrbitalsOfStatesTest, DysonOrbitalsAreThoseOfPyscf) {
  const std::string cation =
      solved_into("cation", water_file(), "space: {electrons: [5, 4]}\nsolver: {states: 3}\n");
  const std::string wanted = "analysis: {dyson: " + cation + "}\n";
  const Finished finished = run_job(water_file(), wanted);
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(has(finished.out, "Dyson orbitals of the removal of a beta electron"))
      << finished.out;
  EXPECT_TRUE(has(finished.out, "8.642269")) << finished.out;  // eV
  const json found = json::parse(read_file(file("out/run.json")))["dyson"];
  EXPECT_EQ(found["process"], "ionisation");
  EXPECT_EQ(found["spin"], "beta");
  ASSERT_EQ(found["pairs"].size(), 3U);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(found["pairs"][j]["energy"], kIonisation[j], 1e-9);
    EXPECT_NEAR(found["pairs"][j]["pole_strength"], kPole[j], 1e-7);
    EXPECT_NEAR(found["pairs"][j]["norm"], std::sqrt(kPole[j]), 1e-7);
  }
  // From the other side: the electron affinity of the cation.
  const std::string neutral = solved_into("neutral", water_file(), "");
  const json back = solved(
      water_file(), "space: {electrons: [5, 4]}\nanalysis: {dyson: " + neutral + "}\n")["dyson"];
  EXPECT_EQ(back["process"], "attachment");
  EXPECT_NEAR(back["pairs"][0]["energy"], kIonisation[0], 1e-9);
  EXPECT_NEAR(back["pairs"][0]["pole_strength"], kPole[0], 1e-7);
}

TEST_F(OrbitalsOfStatesTest, DysonOrbitalsJoinSpacesOfAnyKind) {
  // A frozen core between active orbitals changes signs of determinants, not pole strengths.
  const std::string cation =
      solved_into("cation", water_file(),
                  "space: {electrons: [4, 5], frozen: [2], active: [1, 3, 4, 5, 6, 7]}\n");
  const json frozen =
      solved(water_file(), "space: {frozen: [2], active: [1, 3, 4, 5, 6, 7]}\nanalysis: {dyson: " +
                               cation + "}\n")["dyson"];
  EXPECT_EQ(frozen["spin"], "alpha");
  EXPECT_NEAR(frozen["pairs"][0]["pole_strength"], kPole[0], 5e-3);
  const json truncated =
      solved(water_file(), "space: {kind: cisd}\nanalysis: {dyson: " + cation + "}\n")["dyson"];
  EXPECT_NEAR(truncated["pairs"][0]["pole_strength"], kPole[0], 2e-2);
}

TEST_F(OrbitalsOfStatesTest, OtherOrbitalsOrElectronsAreRefusedWithTheRemedy) {
  const auto refused = [&](const std::string& problem, const std::string& rest,
                           const std::string& dyson, const char* words) {
    expect_refused(problem, rest + "analysis: {dyson: " + dyson + "}\n", words, 65);
  };
  const std::string water = solved_into("water", water_file(), "");
  refused(
      lih_file(), "", water,
      "its integrals differ from those of this job; expected a job with the same integral file");
  refused(water_file(), "", water,
          "its states have 5 alpha and 5 beta electrons, those of this job 5 alpha and 5 beta "
          "electrons; expected one electron fewer or more");
  refused(water_file(), "space: {electrons: [6, 3]}\n", water,
          "expected one electron fewer or more");
  write_file(file("dets.txt"), "2222200\n");
  refused(water_file(), "", file("dets.txt"), "not a results file; expected the results.h5");
  const std::string without = solved_into("none", water_file(), "space: {electrons: [5, 4]}\n");
  run_job(water_file(), "space: {electrons: [5, 4]}\noutput: {directory: none, vectors: false}\n");
  refused(water_file(), "", without, "expected results of a job with 'output.vectors: true'");
}

TEST_F(OrbitalsOfStatesTest, IntegralsOverNaturalOrbitalsHaveTheSameFullCi) {
  const std::string asked =
      "solver: {states: 3, tolerance: 1e-11}\n"
      "analysis: {properties: [dipole, velocity, populations]}\n";
  const Finished finished = run_job(
      "fcidump: " + kFiles + "lih_sto3g.fcidump, operators: " + kFiles + "lih_sto3g.orbitals.h5",
      asked + "output: {directory: first, natural_fcidump: average}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(has(finished.out,
                  "integrals over the natural orbitals of 3 states on average are in "
                  "first/natural.fcidump and natural.operators.h5"))
      << finished.out;
  const json before = json::parse(read_file(file("first/run.json")));
  const json after =
      solved("fcidump: first/natural.fcidump, operators: first/natural.operators.h5", asked);
  for (std::size_t j = 0; j < 3; ++j) {
    const json& here = after["states"][j];
    const json& there = before["states"][j];
    EXPECT_NEAR(here["energy"], there["energy"], 1e-9);
    EXPECT_NEAR(here["dipole"][2], there["dipole"][2], 1e-8);
    EXPECT_EQ(here["irrep_name"], there["irrep_name"]);
    EXPECT_NEAR(here["populations"]["mulliken"]["charges"][0],
                there["populations"]["mulliken"]["charges"][0], 1e-8);
  }
  EXPECT_NEAR(after["transitions"][1]["oscillator_strength"],
              before["transitions"][1]["oscillator_strength"], 1e-8);
}

TEST_F(OrbitalsOfStatesTest, NaturalOrbitalsOfAStateDiagonaliseItsDensity) {
  const Finished finished = run_job(water_file(),
                                    "space: {frozen: 1}\nsolver: {states: 2, tolerance: 1e-11}\n"
                                    "output: {directory: first, natural_fcidump: {state: 2}}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  const json before = json::parse(read_file(file("first/run.json")));
  const json after =
      solved("fcidump: first/natural.fcidump", "solver: {states: 2, tolerance: 1e-11}\n");
  EXPECT_NEAR(after["states"][1]["energy"], before["states"][1]["energy"], 1e-9);
  EXPECT_EQ(after["problem"]["nelec"], json({4, 4}));  // the frozen ones are in the core energy
  // In its natural orbitals a second rotation changes nothing.
  const Finished again = run_job("fcidump: first/natural.fcidump",
                                 "solver: {states: 2, tolerance: 1e-11}\n"
                                 "output: {directory: again, natural_fcidump: {state: 3}}\n");
  EXPECT_TRUE(has(again.out, "was not written: there is no state 3; expected 1 to 2")) << again.out;
  EXPECT_FALSE(std::filesystem::exists(file("again/natural.fcidump")));
}

TEST_F(OrbitalsOfStatesTest, AnInputInTheFolderOfAJobIsKept) {
  run_job(water_file(), "output: {natural_fcidump: {state: 1}}\n");
  const std::string text = read_file(file("out/natural.fcidump"));
  ASSERT_FALSE(text.empty());
  const Finished finished = run_job("fcidump: out/natural.fcidump");
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(read_file(file("out/natural.fcidump")), text);
  run_job(water_file());
  EXPECT_FALSE(std::filesystem::exists(file("out/natural.fcidump")));  // of a job that is replaced
}

TEST_F(OrbitalsOfStatesTest, MoldenFilesHoldTransitionAndDysonOrbitals) {
  const std::string lih =
      "fcidump: " + kFiles + "lih_sto3g.fcidump, operators: " + kFiles + "lih_sto3g.orbitals.h5";
  const std::string cation = solved_into("cation", lih, "space: {electrons: [2, 1]}\n");
  const json record = solved(lih,
                             "solver: {states: 3}\noutput: {molden: true}\n"
                             "analysis: {orbitals: transition, dyson: " +
                                 cation + "}\n");
  EXPECT_FALSE(std::filesystem::exists(file("out/transition-1.molden")));
  const std::string pairs = read_file(file("out/transition-3.molden"));
  EXPECT_TRUE(has(pairs, "natural transition orbitals from state 1 of state 3"));
  const double weight = record["transition_orbitals"]["transitions"][1]["alpha"]["weights"][0];
  std::vector<double> occupations;
  for (std::size_t at = pairs.find("Occup="); at != std::string::npos;
       at = pairs.find("Occup=", at + 1))
    occupations.push_back(std::stod(pairs.substr(at + 6, 30)));
  ASSERT_FALSE(occupations.empty());
  EXPECT_NEAR(std::ranges::min(occupations), -weight, 1e-9);
  EXPECT_NEAR(std::ranges::max(occupations), weight, 1e-9);
  EXPECT_TRUE(has(pairs, "hole1")) << pairs;
  EXPECT_TRUE(has(pairs, "Spin= Beta")) << pairs;
  const std::string dyson = read_file(file("out/dyson.molden"));
  EXPECT_TRUE(has(dyson, "dyson3")) << dyson;
  EXPECT_FALSE(has(dyson, "dyson4"));
}

TEST_F(OrbitalsOfStatesTest, WavelengthsAreOfTransitionsAndEnergiesOfIonisationsStayEnergies) {
  const std::string cation =
      solved_into("cation", water_file(), "space: {electrons: [5, 4]}\nsolver: {states: 3}\n");
  const Finished finished =
      run_job(water_file(),
              "solver: {states: 2}\noutput: {units: nm}\nanalysis: {dyson: " + cation + "}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  const json record = json::parse(read_file(file("out/run.json")));
  EXPECT_EQ(record["excitation_unit"], "nm");
  const double gap =
      record["states"][1]["energy"].get<double>() - record["states"][0]["energy"].get<double>();
  char wavelength[32];
  std::snprintf(wavelength, sizeof wavelength, " %.2f ", 45.56335252912 / gap);
  EXPECT_TRUE(has(finished.out, "from 1 (nm)")) << finished.out;
  EXPECT_TRUE(has(finished.out, wavelength)) << finished.out;
  EXPECT_TRUE(has(finished.out, "ionisation energy (eV)")) << finished.out;
  EXPECT_NEAR(record["states"][1]["excitation_ev"], gap * 27.211386245988, 1e-10);
}

TEST_F(OrbitalsOfStatesTest, TransitionsAreToldInTheUnitThatIsChosen) {
  const Finished finished = run_job(lih_file(), "solver: {states: 5}\noutput: {units: cm-1}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(has(finished.out, "to       1/cm      nm")) << finished.out;
  EXPECT_TRUE(has(finished.out, "29170.304")) << finished.out;
  const Finished wavelengths = run_job(lih_file(), "solver: {states: 5}\noutput: {units: nm}\n");
  EXPECT_TRUE(has(wavelengths.out, "342.81")) << wavelengths.out;
  EXPECT_TRUE(has(wavelengths.out, "3.616657")) << wavelengths.out;  // eV beside it
}

}  // namespace
}  // namespace cisolve::test

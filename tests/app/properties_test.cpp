#include <cmath>
#include <nlohmann/json.hpp>

#include "jobs.hpp"

// Dipole moments and transitions of jobs whose problem brings operators. References for LiH in the
// STO-3G basis by PySCF: dense diagonalisation, transition densities and its integrals.
namespace cisolve::test {
namespace {

using nlohmann::json;

constexpr double kDipole[] = {-1.81741795, 1.58407617, 1.71415539, 0.181587775};  // along z, e a0
constexpr double kTransition = 0.738083025;  // from state 1 to state 3, its absolute value
constexpr double kLength = 0.04826983392677691;
constexpr double kVelocity = 0.08769102575580848;
constexpr double kLevelLength = 2 * 0.2490750277791136;  // from state 1 to states 6 and 7
constexpr double kLevelVelocity = 2 * 0.12648176959145016;

const std::string kData = std::string(CISOLVE_DATA) + "/";

class PropertiesTest : public JobsTest {
 protected:
  static std::string lih(const std::string& more = "") {
    return "fcidump: " + kData + "lih_sto3g.fcidump" + more;
  }
  static std::string with_operators() {
    return lih(", operators: " + kData + "lih_sto3g.operators.h5");
  }
};

TEST_F(PropertiesTest, DipolesAndTransitionsEqualThoseOfPyscf) {
  const json record = solved(with_operators(), "solver: {states: 7, tolerance: 1e-10}\n");
  for (std::size_t j = 0; j < 4; ++j) {
    const json& dipole = record["states"][j]["dipole"];
    EXPECT_NEAR(dipole[0], 0, 1e-8);
    EXPECT_NEAR(dipole[1], 0, 1e-8);
    EXPECT_NEAR(dipole[2], kDipole[j], 1e-7) << "state " << j + 1;
    EXPECT_EQ(record["states"][j]["properties"].size(), 1U);
    EXPECT_EQ(record["states"][j]["properties"][0]["name"], "dipole");
    EXPECT_EQ(record["states"][j]["properties"][0]["unit"], "e a0");
  }
  const json& transitions = record["transitions"];
  ASSERT_EQ(transitions.size(), 6U);
  const json& third = transitions[1];
  EXPECT_EQ(third["from"], 1);
  EXPECT_EQ(third["to"], 3);
  EXPECT_NEAR(third["energy"], 0.13290968515345725, 1e-9);
  EXPECT_NEAR(std::abs(third["dipole"][2].get<double>()), kTransition, 1e-7);
  EXPECT_NEAR(third["oscillator_strength"], kLength, 1e-8);
  EXPECT_NEAR(third["oscillator_strength_velocity"], kVelocity, 1e-8);
  EXPECT_NEAR(transitions[0]["oscillator_strength"], 0, 1e-12);  // a triplet
  const json& levels = record["levels"];
  ASSERT_EQ(levels.size(), 5U);
  EXPECT_EQ(levels[4]["states"], json({6, 7}));
  EXPECT_NEAR(levels[4]["oscillator_strength"], kLevelLength, 1e-8);
  EXPECT_NEAR(levels[4]["oscillator_strength_velocity"], kLevelVelocity, 1e-8);
  EXPECT_EQ(record["charge"], 0);
  EXPECT_EQ(record["operators"][0]["origin_note"], "centre of nuclear charge");
  EXPECT_TRUE(record["properties_note"].is_null());
}

TEST_F(PropertiesTest, TheTablesAreInDebyeElectronVoltAndNanometre) {
  const Finished finished = run_job(with_operators(), "solver: {states: 7}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  for (const char* words :
       {"Dipole moments (debye)", "-4.619416", "4.619416", "origin (0.000000, 0.000000, 0.755890)",
        "Transitions from state 1", "3.616657", "342.81", "0.048270", "0.087691",
        "Sums over states of one energy", "6-7", "0.498150"})
    EXPECT_NE(finished.out.find(words), std::string::npos) << words << '\n' << finished.out;
  EXPECT_EQ(finished.out.find("of an ion"), std::string::npos);
}

TEST_F(PropertiesTest, FrozenOrbitalsAreAccountedFor) {
  // Freezing the core changes the dipole by its correlation alone; without its electrons it would
  // be off by 2 z.
  const json record = solved(with_operators(), "space: {frozen: 1}\n");
  EXPECT_NEAR(record["states"][0]["dipole"][2], kDipole[0], 5e-3);
  EXPECT_EQ(record["charge"], 0);
  EXPECT_EQ(record["transitions"].size(), 0U);
}

TEST_F(PropertiesTest, AnIonSaysThatItsDipoleDependsOnTheOrigin) {
  const Finished finished = run_job(with_operators(), "space: {electrons: [2, 1]}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.out.find("of an ion of charge +1, whose dipole moment depends on the origin"),
            std::string::npos)
      << finished.out;
}

TEST_F(PropertiesTest, NothingIsComputedUnlessRequested) {
  const json without = solved(lih(), "solver: {states: 2}\n");
  EXPECT_FALSE(without.contains("transitions"));
  EXPECT_FALSE(without["states"][0].contains("dipole"));
  const json none = solved(with_operators(), "solver: {states: 2}\nanalysis: {properties: none}\n");
  EXPECT_FALSE(none.contains("transitions"));
  const json dipole =
      solved(with_operators(), "solver: {states: 3}\nanalysis: {properties: [dipole]}\n");
  EXPECT_EQ(dipole["operators"].size(), 1U);
  EXPECT_NEAR(dipole["transitions"][1]["oscillator_strength"], kLength, 1e-7);
  EXPECT_TRUE(dipole["transitions"][1]["oscillator_strength_velocity"].is_null());
}

TEST_F(PropertiesTest, MomentsDoNotDependOnWhetherDensitiesAreWritten) {
  const json record = solved(
      with_operators(), "solver: {states: 3, tolerance: 1e-10}\nanalysis: {densities: none}\n");
  EXPECT_NEAR(record["states"][1]["dipole"][2], kDipole[1], 1e-7);
  EXPECT_NEAR(record["transitions"][1]["oscillator_strength"], kLength, 1e-8);
}

TEST_F(PropertiesTest, MissingOperatorsAreReportedWithTheRemedy) {
  expect_refused(with_operators(), "analysis: {properties: [dipole, quadrupole]}\n",
                 "analysis.properties names quadrupole, but the problem brings dipole, velocity");
  expect_refused(lih(), "analysis: {properties: [dipole]}\n",
                 "the problem brings no operators; expected 'problem.operators: FILE.h5'");
  expect_refused("trexio: " + kData + "h2o_sto3g.trexio.h5", "analysis: {properties: [dipole]}\n",
                 "a TREXIO file holds no dipole integrals over its orbitals");
  expect_refused(
      "fcidump: " + kData + "h2o_sto3g.fcidump, operators: " + kData + "lih_sto3g.operators.h5", "",
      "/one_electron: 6 orbitals, but the integrals have 7", 65);
  expect_refused(lih(", operators: no.h5"), "", "no.h5", 66);
}

}  // namespace
}  // namespace cisolve::test

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

}  // namespace
}  // namespace cisolve::test

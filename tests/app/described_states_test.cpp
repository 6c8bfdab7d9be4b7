#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/json/json.hpp"
#include "app/plot/html_report.hpp"
#include "program.hpp"

// Excitation energies, configurations, unpaired electrons, entropies and corrections for size
// consistency in the output of the program.
namespace cisolve::test {
namespace {

using nlohmann::json;

constexpr double kEv = 27.211386245988;  // CODATA 2018

class DescribedStatesTest : public ProgramTest {
 protected:
  Finished solve(const std::string& text, std::vector<std::string> more = {}) {
    write_file(file("a.yaml"), text);
    more.insert(more.begin(), {"a.yaml", "--force"});
    Finished finished = run(more);
    const std::string record = read_file(file("out/run.json"));
    record_ = record.empty() ? json() : json::parse(record);
    return finished;
  }
  static std::string water(const std::string& space) {
    return "problem: {fcidump: " + configuration("../tests/data/h2o_sto3g.fcidump") +
           "}\nspace: {" + space + "}\n";
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  const json& state(std::size_t j) const { return record_["states"][j]; }

  json record_;
};

TEST_F(DescribedStatesTest, ExcitationsAreReportedInTheChosenUnit) {
  const std::string job = water("kind: fci") + "solver: {states: 3}\n";
  const std::vector<std::pair<std::string, std::pair<std::string, double>>> units = {
      {"ev", {"eV", kEv}},
      {"hartree", {"Hartree", 1}},
      {"cm-1", {"1/cm", 219474.63136320}},
      {"kcal/mol", {"kcal/mol", 627.5094740631}}};
  for (const auto& [word, unit] : units) {
    const Finished finished = solve(job, {"--set", "output.units=" + word});
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_EQ(finished.err.find("no effect"), std::string::npos) << finished.err;
    EXPECT_TRUE(has(finished.out, "above 1 (" + unit.first + ")")) << finished.out;
    EXPECT_EQ(record_["excitation_unit"], word);
    const double gap = state(2)["energy"].get<double>() - state(0)["energy"].get<double>();
    EXPECT_NEAR(state(2)["excitation_ev"], gap * kEv, 1e-10);
    const double shown = gap * unit.second;  // the table rounds it
    char text[40];
    std::snprintf(text, sizeof text, " %.2f", shown);
    EXPECT_TRUE(has(finished.out, std::string(text).substr(0, std::strlen(text) - 1)))
        << text << finished.out;
  }
  EXPECT_EQ(state(0)["excitation_ev"], 0);
}

TEST_F(DescribedStatesTest, ExcitationsAreInElectronVoltsByDefault) {
  const Finished finished = solve(water("kind: fci") + "solver: {states: 2}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(has(finished.out, "above 1 (eV)"));
  const std::string page =
      app::html_report("t", app::parse_json(read_file(file("out/run.json")), "run.json"), {}, ".");
  EXPECT_TRUE(has(page, "<th>above 1 (eV)</th>"));
  EXPECT_TRUE(has(page, "<td>0.000000</td>"));
}

TEST_F(DescribedStatesTest, OneStateHasNoExcitation) {
  const Finished finished = solve(water("kind: fci"));
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_FALSE(has(finished.out, "above 1"));
}

TEST_F(DescribedStatesTest, AModelHasNoElectronVolts) {
  for (const std::string problem :
       {"lattice: {columns: 4}", "lattice: {columns: 4, model: heisenberg}",
        "generate: {rows: 50, symmetric: true}"}) {
    const Finished finished =
        solve("problem: {" + problem + "}\nsolver: {states: 2}\n", {"--set", "output.units=cm-1"});
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_TRUE(has(finished.err, "output.units")) << finished.err;  // it has no effect
    EXPECT_FALSE(has(finished.out, "above 1")) << finished.out;
    EXPECT_TRUE(state(1)["excitation_ev"].is_null());
    EXPECT_TRUE(record_["excitation_unit"].is_null());
  }
}

TEST_F(DescribedStatesTest, ConfigurationsAreExcitationsOfTheLeadingDeterminant) {
  const Finished finished =
      solve(water("kind: fci") + "solver: {states: 3}\nanalysis: {determinants: 441}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  const json& from = record_["configurations_from"];
  EXPECT_EQ(from["determinant"], "2222200");
  EXPECT_EQ(from["names"][4], "HOMO");
  EXPECT_EQ(from["orbitals"][4], 5);
  EXPECT_TRUE(has(finished.out, "relative to the reference 2222200")) << finished.out;
  EXPECT_TRUE(has(finished.out, "HOMO = orbital 5, LUMO = orbital 6")) << finished.out;
  for (const json& one : record_["states"]) {
    std::map<std::string, double> weights;  // by the occupation of orbitals
    for (const json& determinant : one["dominant"]) {
      std::string text = determinant["determinant"];
      std::ranges::replace(text, 'd', 'u');
      weights[text] += determinant["weight"].get<double>();
    }
    double sum = 0;
    for (const json& configuration : one["configurations"]) {
      std::string text = "2222200";
      for (const int p : configuration["from"]) text[p - 1] = text[p - 1] == '2' ? 'u' : '0';
      for (const int p : configuration["to"]) text[p - 1] = text[p - 1] == '0' ? 'u' : '2';
      EXPECT_NEAR(configuration["weight"], weights[text], 1e-12) << configuration;
      sum += configuration["weight"].get<double>();
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
  EXPECT_EQ(state(0)["configurations"][0]["excitation"], "reference");
  EXPECT_EQ(state(1)["configurations"][0]["excitation"], "HOMO -> LUMO");
  EXPECT_TRUE(has(finished.out, "HOMO -> LUMO 0."));
}

TEST_F(DescribedStatesTest, SitesHaveNoConfigurationsInWords) {
  ASSERT_EQ(solve("problem: {lattice: {columns: 4}}\n").code, 0);
  EXPECT_TRUE(state(0)["configurations"].empty());
  EXPECT_TRUE(record_["configurations_from"].is_null());
}

TEST_F(DescribedStatesTest, UnpairedElectronsFollowFromNaturalOccupations) {
  ASSERT_EQ(solve(water("kind: fci"), {"--set", "problem.ms2=2"}).code, 0);
  double head_gordon = 0;
  double takatsuka = 0;
  for (const double n : state(0)["natural_occupations"]) {
    head_gordon += std::min(n, 2 - n);
    takatsuka += n * (2 - n);
  }
  EXPECT_NEAR(state(0)["unpaired_electrons"]["head_gordon"], head_gordon, 1e-12);
  EXPECT_NEAR(state(0)["unpaired_electrons"]["takatsuka"], takatsuka, 1e-12);
  EXPECT_GT(head_gordon, 2);  // a triplet
}

TEST_F(DescribedStatesTest, UnpairedElectronsNeedNaturalOccupations) {
  const std::string radical =
      "problem: {fcidump: " + configuration("../tests/data/oh_uhf.fcidump") +
      "}\nspace: {kind: cisd}\n";
  const Finished finished = solve(radical);
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(state(0)["unpaired_electrons"].is_null());
  EXPECT_FALSE(has(finished.out, "unpaired electrons"));
  EXPECT_EQ(record_["configurations_from"]["names"][0].get<std::string>().ends_with("(a)"), true);
}

TEST_F(DescribedStatesTest, EntropiesAreReportedIfRequested) {
  const Finished plain = solve(water("kind: cisd"));
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_TRUE(state(0)["entropies"].is_null());
  EXPECT_FALSE(has(plain.out, "entropies"));
  const Finished finished =
      solve(water("kind: cisd, frozen: 1"), {"--set", "analysis.entropies=all"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  ASSERT_EQ(state(0)["entropies"].size(), 6U);
  double sum = 0;
  for (const double s : state(0)["entropies"]) {
    EXPECT_GT(s, 0);
    EXPECT_LT(s, std::log(4));
    sum += s;
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.6f", sum);
  EXPECT_TRUE(has(finished.out, text)) << finished.out;
  EXPECT_TRUE(has(finished.out, "pairs of orbitals with most mutual information"));
}

TEST_F(DescribedStatesTest, CorrectionsForSizeConsistencyFollowFromTheReference) {
  const Finished finished = solve(water("kind: cisd, frozen: 1") + "solver: {states: 2}\n");
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(has(finished.out, "+Q Davidson")) << finished.out;
  EXPECT_NEAR(state(0)["reference_energy"], -74.963023138463, 1e-9);  // the Hartree-Fock energy
  const double w = state(0)["reference_weight"];
  const double correlation =
      state(0)["energy"].get<double>() - state(0)["reference_energy"].get<double>();
  EXPECT_NEAR(state(0)["davidson_q"], (1 - w) * correlation, 1e-12);
  EXPECT_NEAR(state(0)["renormalised_q"], (1 - w) / w * correlation, 1e-12);
  const double t = std::acos(std::sqrt(w));  // 8 electrons are correlated
  const double factor =
      (std::sqrt(64 + 16 * std::pow(std::tan(2 * t), 2)) - 8) / (2 * (1 / std::cos(2 * t) - 1)) - 1;
  EXPECT_NEAR(state(0)["pople_q"], factor * correlation, 1e-10);
  EXPECT_TRUE(state(1)["davidson_q"]
                  .is_null());  // the reference is not the dominant part of an excited state
  EXPECT_TRUE(state(1)["reference_energy"]
                  .is_null());  // a triplet does not contain the closed-shell reference
  EXPECT_TRUE(has(finished.out, "no +Q is given"));
}

TEST_F(DescribedStatesTest, FullCiNeedsNoCorrection) {
  for (const char* space : {"kind: fci", "kind: cas, frozen: 1, active: 6",
                            "kind: ci, level: 4, frozen: 1, active: 6", "kind: cis"}) {
    const Finished finished = solve(water(space));
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_TRUE(state(0)["davidson_q"].is_null()) << space;
    EXPECT_TRUE(state(0)["pople_q"].is_null()) << space;
    EXPECT_FALSE(has(finished.out, "+Q")) << space;
  }
}

}  // namespace
}  // namespace cisolve::test

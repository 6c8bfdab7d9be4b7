#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "io/molecules/determinant_list.hpp"
#include "io/results/saved_vectors.hpp"
#include "program.hpp"

// States that are chosen by what they overlap with, and starts from other jobs:
// a dense solution of the same space says which states there are.
namespace cisolve::test {
namespace {

using base::Index;
using nlohmann::json;
using testing::HasSubstr;

const std::string kWater =
    "fcidump: " + std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump";
constexpr int kOrbitals = 7;
constexpr int kStates = 133;  // of the first irrep

/// All states of a space as a job has saved them.
struct Spectrum {
  std::vector<double> energies;
  std::vector<double> spins;  // <S^2>
  std::vector<ci::Determinant> determinants;
  base::MultiVector vectors;

  double weight(const std::map<ci::Determinant, double>& target, int state) const {
    double overlap = 0;
    for (std::size_t k = 0; k < determinants.size(); ++k)
      if (const auto found = target.find(determinants[k]); found != target.end())
        overlap += found->second * vectors(static_cast<Index>(k), state);
    return overlap * overlap;
  }
  /// The state of most weight, by far.
  int best(const std::map<ci::Determinant, double>& target) const {
    std::vector<std::pair<double, int>> weights;
    for (int j = 0; j < vectors.columns(); ++j) weights.emplace_back(-weight(target, j), j);
    std::ranges::sort(weights);
    EXPECT_GT(weights[1].first - weights[0].first, 0.03) << "no case for a test";
    return weights[0].second;
  }
  std::map<ci::Determinant, double> state(int number) const {
    std::map<ci::Determinant, double> elements;
    for (std::size_t k = 0; k < determinants.size(); ++k)
      elements[determinants[k]] = vectors(static_cast<Index>(k), number);
    return elements;
  }
};

class FollowTest : public ProgramTest {
 protected:
  Finished run_job(const std::string& rest, const std::string& folder = "out",
                   const std::string& problem = kWater) const {
    write_file(file("a.yaml"), "problem: {" + problem + "}\noutput: {directory: " + folder +
                                   ", vectors: true}\n" + rest);
    return run({"a.yaml", "--force"});
  }
  json solved(const std::string& rest, const std::string& folder = "out",
              const std::string& problem = kWater) const {
    const Finished finished = run_job(rest, folder, problem);
    EXPECT_EQ(finished.code, 0) << finished.err << finished.out;
    return json::parse(read_file(file(folder + "/run.json")));
  }
  void expect_refusal(const std::string& rest, int code, const std::string& reason,
                      const std::string& problem = kWater) const {
    const Finished finished = run_job(rest, "out", problem);
    EXPECT_EQ(finished.code, code) << rest << finished.out;
    EXPECT_THAT(finished.err, HasSubstr(reason));
  }

  Spectrum spectrum(const std::string& space, int states, const std::string& folder) const {
    const json record =
        solved("space: {" + space + "}\nsolver: {method: dense, states: " + std::to_string(states) +
                   "}\nanalysis: {densities: none}\n",
               folder);
    const base::Backend host = base::Backend::reference();
    const std::string results = file(folder + "/results.h5");
    Spectrum all{{},
                 {},
                 io::read_determinants(results, {kOrbitals, 5, 5}, host),
                 io::read_saved_vectors(results, host)};
    for (const json& state : record["states"]) {
      all.energies.push_back(state["energy"]);
      all.spins.push_back(state["s2"]);
    }
    return all;
  }

  static void expect_chosen(const json& record, double energy, double weight) {
    EXPECT_NEAR(record["states"][0]["energy"].get<double>(), energy, 1e-8);
    const json& chosen = record["verification"]["chosen"];
    EXPECT_NEAR(chosen["weights"][0].get<double>(), weight, 1e-6);
    EXPECT_NEAR(chosen["others"].get<double>(), 1 - weight, 1e-6);
    EXPECT_EQ(chosen["certain"], weight > 0.5);
    EXPECT_EQ(record["verification"]["completeness"], "not checked");
    EXPECT_EQ(record["verification"]["passed"], true);
  }
};

TEST_F(FollowTest, AnExcitedConfigurationLeadsToItsState) {
  const Spectrum all = spectrum("irrep: 1", kStates, "all");
  for (const std::string configuration : {"2222020", "2220220", "2202220"}) {
    const std::map<ci::Determinant, double> target{
        {ci::parse_determinant(configuration, kOrbitals), 1.0}};
    const int wanted = all.best(target);
    EXPECT_GT(wanted, 2);
    write_file(file("list.txt"), "# excited\n" + configuration + "\n");
    for (const char* method : {"davidson", "dense", "auto"}) {
      SCOPED_TRACE(configuration + method);
      const json record = solved(std::string("space: {irrep: 1}\nsolver: {follow: list.txt, ") +
                                 "method: " + method + "}\n");
      const bool is_asked = std::string_view(method) == "davidson";
      EXPECT_EQ(record["solver"]["method"], is_asked ? "davidson" : "dense");
      expect_chosen(record, all.energies[wanted], all.weight(target, wanted));
    }
  }
  write_file(file("list.txt"), "2222200\n");
  const Finished told = run_job("space: {irrep: 1}\nsolver: {follow: list.txt}\n");
  EXPECT_THAT(told.out, HasSubstr("these are not the lowest states, but those that overlap most"));
  EXPECT_THAT(told.out, Not(HasSubstr("no state is missing")));
  EXPECT_THAT(told.out, HasSubstr("no other state overlaps more"));
}

TEST_F(FollowTest, AStateOfASmallerSpaceLeadsToThatOfALargerOne) {
  const Spectrum all = spectrum("irrep: 1", kStates, "all");
  const Spectrum cisd = spectrum("irrep: 1, kind: cisd", 12, "cisd");
  for (const int number : {2, 4, 5}) {
    const auto target = cisd.state(number - 1);
    const int wanted = all.best(target);
    const json record = solved(
        "space: {irrep: 1}\nsolver: {method: davidson, follow: cisd/results.h5, follow_state: " +
        std::to_string(number) + "}\n");
    expect_chosen(record, all.energies[wanted], all.weight(target, wanted));
  }
  expect_refusal("solver: {follow: cisd/results.h5, follow_state: 13}\n", 78, "gives 12");
}

// In a window whose frozen orbital is not the lowest, determinants have other signs than over all
// orbitals.
TEST_F(FollowTest, SignsAreThoseOfTheDeterminants) {
  const std::string window = "space: {frozen: [3]}\n";
  const json windowed = solved(window + "solver: {states: 4}\n", "window");
  const std::string list = "space: {kind: list, determinants: window/results.h5}\n";
  solved(list + "solver: {states: 4}\n", "list");
  for (const auto& [space, from] : {std::pair(window, "list"), {list, "window"}})
    for (const char* method : {"dense", "davidson"}) {
      const json record = solved(space + "solver: {follow: " + from +
                                 "/results.h5, follow_state: 4, method: " + method + "}\n");
      expect_chosen(record, windowed["states"][3]["energy"], 1);
    }
}

TEST_F(FollowTest, WeightsAreThoseOfTheStatesThatAreTold) {
  const std::string ring = "lattice: {columns: 6, periodic_columns: true}";
  solved("solver: {states: 12}\n", "ring", ring);
  const json four =
      solved("solver: {states: 4, method: davidson, follow: ring/results.h5}\n", "out", ring);
  const json& chosen = four["verification"]["chosen"];
  for (const json& weight : chosen["weights"]) EXPECT_NEAR(weight.get<double>(), 1, 1e-8);
  EXPECT_NEAR(chosen["others"].get<double>(), 8, 1e-8);
  EXPECT_EQ(chosen["certain"], true);  // none has more than 1
  // Two states of one energy, which have 0.28 of the list each where all others have at most 0.17,
  // are rotated into such as have a spin, with other weights.
  write_file(file("list.txt"), "d000u0\n0000du\n");
  const json rotated = solved(
      "space: {electrons: [1, 1]}\nsolver: {states: 2, method: davidson, follow: list.txt}\n",
      "out", "lattice: {columns: 6, periodic_columns: true, u: 0}");
  EXPECT_EQ(rotated["verification"]["chosen"]["weights"], json::array());
  EXPECT_GT(rotated["verification"]["chosen"]["others"].get<double>(), 1);
  EXPECT_EQ(rotated["verification"]["chosen"]["certain"], false);
}

TEST_F(FollowTest, ASpinIsFollowedAmongItsFunctions) {
  const Spectrum all = spectrum("irrep: 1", kStates, "all");
  const auto triplet = std::ranges::find_if(all.spins, [](double s2) { return s2 > 1; });
  const auto number = triplet - all.spins.begin();
  const auto target = all.state(static_cast<int>(number));
  ci::Determinant largest;
  double size = 0;
  for (const auto& [determinant, element] : target)
    if (std::abs(element) > size) {
      largest = determinant;
      size = std::abs(element);
    }
  write_file(file("list.txt"), ci::to_text(largest, kOrbitals) + "\n");
  const std::string follow = "solver: {method: davidson, follow: list.txt}\n";
  const json found = solved("space: {irrep: 1, spin: 1}\n" + follow);
  EXPECT_NEAR(found["states"][0]["energy"].get<double>(), *(all.energies.begin() + number), 1e-8);
  const json other = solved("space: {irrep: 1, spin: 0}\n" + follow);
  EXPECT_NEAR(other["states"][0]["s2"].get<double>(), 0, 1e-8);
  EXPECT_GT(other["verification"]["chosen"]["weights"][0].get<double>(), 0.5);
  write_file(file("list.txt"), "2222200\n");
  expect_refusal("space: {irrep: 1, spin: 1}\n" + follow, 65, "has the spin 1");
}

TEST_F(FollowTest, AnotherJobsStatesAreAStart) {
  const std::string solver =
      "solver: {method: davidson, states: 2, model_size: 5, start: model, search: none";
  const json fresh = solved("space: {irrep: 1}\n" + solver + "}\n", "fresh");
  solved("space: {irrep: 1, kind: cisd}\n" + solver + "}\n", "cisd");
  solved("space: {irrep: 1, spin: 0}\n" + solver + "}\n", "singlets");
  const auto from = [&](const std::string& folder, const std::string& space) {
    const json record =
        solved("space: {" + space + "}\n" + solver + ", start_from: " + folder + "/results.h5}\n");
    for (int j = 0; j < 2 && space == "irrep: 1"; ++j)
      EXPECT_NEAR(record["states"][j]["energy"].get<double>(),
                  fresh["states"][j]["energy"].get<double>(), 1e-8);
    EXPECT_EQ(record["verification"]["chosen"], nullptr);
    return record["solver"]["iterations"].get<int>();
  };
  EXPECT_EQ(from("fresh", "irrep: 1"), 0);
  EXPECT_LT(from("cisd", "irrep: 1"), fresh["solver"]["iterations"].get<int>());
  EXPECT_EQ(from("singlets", "irrep: 1, spin: 0"), 0);
  EXPECT_GT(from("fresh", "irrep: 1, kind: cisd"), 0);
}

TEST_F(FollowTest, RowsOfAMatrixAreKnownByTheirNumbers) {
  const std::string chain = "matrix: " + configuration("chain.mtx");
  const json all = solved("solver: {states: 4, method: dense}\n", "chain", chain);
  for (const char* method : {"davidson", "dense"}) {
    const json record =
        solved(std::string("solver: {follow: chain/results.h5, follow_state: 3, method: ") +
                   method + "}\n",
               "out", chain);
    expect_chosen(record, all["states"][2]["energy"], 1);
  }
  const std::string follow = "solver: {follow: chain/results.h5}\n";
  expect_refusal(follow, 65, "elements for a matrix of 50 rows", "generate: {rows: 50}");
  write_file(file("list.txt"), "20\n");
  expect_refusal("solver: {follow: list.txt}\n", 78, "this problem has no determinants", chain);
}

TEST_F(FollowTest, WhatCannotBeFollowedIsRefused) {
  const std::string follow = "solver: {follow: list.txt}\n";
  expect_refusal(follow, 66, "list.txt");
  write_file(file("list.txt"), "2222200\n22222x0\n");
  expect_refusal(follow, 65, "list.txt:2: ");
  write_file(file("list.txt"), "2222200\n222220\n");
  expect_refusal(follow, 65, "list.txt:2: '222220' has 6 characters; expected 7");
  write_file(file("list.txt"), "2222000\n");
  expect_refusal(follow, 65, "list.txt:1: determinant 1 has 4 alpha");
  write_file(file("list.txt"), "2222200\n2200222\n");
  expect_refusal("space: {kind: cis}\n" + follow, 65,
                 "list.txt:2: determinant 2, 2200222, is not one of");
  for (const char* key : {"follow: list.txt", "start_from: list.txt"})
    expect_refusal(std::string("solver: {method: lanczos, ") + key + "}\n", 78,
                   "expected auto, davidson or dense");
  write_file(file("b.yaml"),
             "problem: {" + kWater + "}\noutput: {directory: bare, vectors: false}\n");
  ASSERT_EQ(run({"b.yaml"}).code, 0);
  expect_refusal("solver: {follow: bare/results.h5}\n", 65, "expected results of a job with");
  solved("space: {irrep: 1}\n", "one");
  expect_refusal("space: {irrep: 2}\nsolver: {start_from: one/results.h5}\n", 65,
                 "have no determinant of this space");
  // What rounding has left of it in another irrep is nothing.
  solved("solver: {states: 2}\n", "two");
  expect_refusal("space: {irrep: 2}\nsolver: {follow: two/results.h5, follow_state: 1}\n", 65,
                 "its state 1 has no determinant of this space");
  std::filesystem::resize_file(file("one/results.h5"), 3000);
  expect_refusal("solver: {follow: one/results.h5}\n", 65, "one/results.h5");
}

}  // namespace
}  // namespace cisolve::test

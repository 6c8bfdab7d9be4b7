#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

// The verifying operator shares neither signs nor elements with the solved one. These tests use
// only the program's own verdict: a fault planted in one of the two must fail them, as long as the
// other does not share it.
namespace cisolve::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class IndependenceTest : public ProgramTest {
 protected:
  /// Water, with one of the product methods.
  void write_job(const std::string& elements, const std::string& rest = "") const {
    write_file(file("a.yaml"),
               "problem: {fcidump: " + configuration("../tests/data/h2o_sto3g.fcidump") +
                   "}\nspace: {kind: fci}\nsolver: {method: davidson, states: 2}\n" +
                   "storage: {elements: " + elements + "}\nbackend: openmp\n" + rest);
  }

  json verification() {
    run({"a.yaml", "--force"});
    const json record = json::parse(read_file(file("out/run.json")));
    path_ = record["operator"]["path"];
    return record["verification"];
  }
  std::string path_;
};

TEST_F(IndependenceTest, EveryWayToComputeAnElementIsVerified) {
  for (const std::string elements : {"precomputed", "on-the-fly", "factorised"}) {
    SCOPED_TRACE(elements);
    write_job(elements);
    const json found = verification();
    EXPECT_EQ(path_, elements);
    EXPECT_EQ(found["passed"], true) << found.dump();
  }
}

TEST_F(IndependenceTest, ACheckFindsTheElementsOfTheDeterminants) {
  write_job("precomputed");
  const Finished finished = run({"check", "a.yaml", "--diagnose"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("elements: correct"));
}

TEST_F(IndependenceTest, DensitiesGiveTheEnergiesOfTheStates) {
  write_job("precomputed", "analysis: {densities: two}\n");
  EXPECT_EQ(verification()["failures"].dump().find("density matrices"), std::string::npos);
}

}  // namespace
}  // namespace cisolve::test

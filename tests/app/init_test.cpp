#include <nlohmann/json.hpp>

#include "program.hpp"

// Configurations written by `init` run unchanged.
namespace cisolve::test {
namespace {

using nlohmann::json;

class InitTest : public ProgramTest {
 protected:
  static std::string data(const std::string& name) {
    return std::string(CISOLVE_DATA) + "/" + name;
  }

  json solved(const std::vector<std::string>& arguments, const std::string& name) const {
    std::vector<std::string> all{"init"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Finished made = run(all);
    EXPECT_EQ(made.code, 0) << made.err;
    const Finished finished = run({name + ".yaml"});
    EXPECT_EQ(finished.code, 0) << finished.err << read_file(file(name + ".yaml"));
    return json::parse(read_file(file("out/" + name + "/run.json")));
  }
};

TEST_F(InitTest, WritesAConfigurationForEitherIntegralFile) {
  std::filesystem::copy_file(data("h2o_sto3g.fcidump"), file("water.fcidump"));
  const json fcidump = solved({"water.fcidump"}, "water");
  EXPECT_NEAR(fcidump["states"][0]["energy"].get<double>(), -75.01257824109203, 1e-9);
  const std::string text = read_file(file("water.yaml"));
  EXPECT_NE(text.find("7 orbitals, 5 alpha and 5 beta electrons"), std::string::npos) << text;
  EXPECT_NE(text.find("Full CI has 441 determinants"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  fcidump: water.fcidump "), std::string::npos) << text;
  std::filesystem::copy_file(data("h2o_sto3g.trexio.h5"), file("other.h5"));
  const json trexio = solved({"other.h5", "--set", "space.frozen=1"}, "other");
  EXPECT_EQ(trexio["space"]["frozen"], 1);
}

TEST_F(InitTest, WritesAConfigurationForAMatrixALatticeOrAGenerator) {
  EXPECT_EQ(solved({configuration("example.mtx")}, "example")["problem"]["rows"], 6);
  EXPECT_EQ(solved({data("scipy_csr.npz")}, "scipy_csr")["problem"]["rows"], 5);
  const json lattice = solved({"lattice", "--set", "problem.lattice.columns=4"}, "lattice");
  EXPECT_EQ(lattice["space"]["dimension"], 36);
  const json made = solved({"generate", "--set", "problem.generate.rows=300"}, "generate");
  EXPECT_EQ(made["problem"]["symmetric"], true);
}

TEST_F(InitTest, AMatrixWithoutStatesGetsAProductConfiguration) {
  write_file(file("skew.mtx"),
             "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 -1\n");
  const json record = solved({"skew.mtx", "--set", "solver.states=0"}, "skew");
  EXPECT_FALSE(record.contains("states"));
}

TEST_F(InitTest, TheConfigurationMayBeInAnotherFolder) {
  std::filesystem::create_directories(file("jobs"));
  std::filesystem::copy_file(configuration("example.mtx"), file("a.mtx"));
  ASSERT_EQ(run({"init", "a.mtx", "--output", "jobs/b.yaml"}).code, 0);
  const std::string text = read_file(file("jobs/b.yaml"));
  EXPECT_NE(text.find("matrix: ../a.mtx "), std::string::npos) << text;
  EXPECT_EQ(run({"jobs/b.yaml"}).code, 0);
}

TEST_F(InitTest, WhatItSuggestsCanBePastedIntoAShell) {
  std::filesystem::copy_file(configuration("example.mtx"), file("my matrix.mtx"));
  const Finished made = run({"init", "my matrix.mtx"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("wrote my matrix.yaml; next: ci-solve 'my matrix.yaml'\n"),
            std::string::npos)
      << made.out;
  const std::string text = read_file(file("my matrix.yaml"));
  EXPECT_NE(text.find("\n#   ci-solve check 'my matrix.yaml'\n#   ci-solve 'my matrix.yaml'\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(run({"my matrix.yaml"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(file("out/my matrix/run.json")));
  const Finished alone = run({"my matrix.mtx", "--force"});
  EXPECT_NE(alone.out.find("All keys: ci-solve init 'my matrix.mtx'\n"), std::string::npos)
      << alone.out;
}

TEST_F(InitTest, NothingIsOverwrittenOrGuessed) {
  write_file(file("lattice.yaml"), "mine");
  EXPECT_EQ(run({"init", "lattice"}).code, 73);
  EXPECT_EQ(read_file(file("lattice.yaml")), "mine");
  EXPECT_EQ(run({"init", "lattice", "--force"}).code, 0);
  EXPECT_EQ(run({"init", "no-such.fcidump"}).code, 66);
  write_file(file("no.fcidump"), "hello\n");
  EXPECT_EQ(run({"init", "no.fcidump"}).code, 65);
  EXPECT_FALSE(std::filesystem::exists(file("no.yaml")));
}

}  // namespace
}  // namespace cisolve::test

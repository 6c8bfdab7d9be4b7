#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "ci/fock/integrals/found_symmetry.hpp"
#include "io/molecules/fcidump.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/run/run.hpp"
#include "tests/support/ci_systems.hpp"

// If a file names no irreps, those of its integrals are used.
namespace cisolve::job {
namespace {

const std::string kNamed = std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump";

class FoundIrreps : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  /// Water with another ORBSYM, or none.
  Request water(const std::string& symmetries, const std::string& more = "") const {
    std::ifstream in(kNamed);
    std::ofstream out(path_);
    for (std::string line; std::getline(in, line);)
      out << (line.find("ORBSYM") == std::string::npos ? line : symmetries) << '\n';
    out << more;
    Request request;
    request.source = ProblemSource::fcidump;
    request.fcidump = path_;
    request.solver.method = solver::Method::dense;
    request.solver.states = 441;
    request.analysis.densities = Densities::none;
    return request;
  }
  std::string path_ = std::filesystem::temp_directory_path() /
                      ("ci-solve-irreps-" + std::to_string(::getpid()) + ".fcidump");
};

std::vector<double> energies_of(const Outcome& found) {
  std::vector<double> energies;
  for (const solver::State& state : found.result->states) energies.push_back(state.energy);
  return energies;
}

TEST_F(FoundIrreps, DivideTheWholeSpectrum) {
  const Outcome whole = run(water(""));
  ASSERT_TRUE(whole.is_good());
  EXPECT_TRUE(whole.determinant_problem->irreps.found);
  std::vector<double> divided;
  std::vector<std::size_t> sizes;
  for (int irrep = 1; irrep <= 4; ++irrep) {
    Request request = water("");
    request.space.irrep = irrep;
    const Outcome block = run(request);
    ASSERT_TRUE(block.is_good());
    sizes.push_back(block.result->states.size());
    for (std::size_t j = 0; j < sizes.back(); ++j) {
      divided.push_back(block.result->states[j].energy);
      EXPECT_EQ(block.analysis->states[j].irrep, irrep);
      EXPECT_EQ(block.analysis->states[j].irrep_name, "");
    }
  }
  EXPECT_EQ(std::ranges::max(sizes), 133U);  // PySCF's number for A1
  std::ranges::sort(divided);
  const std::vector<double> all = energies_of(whole);
  ASSERT_EQ(divided.size(), all.size());
  for (std::size_t j = 0; j < all.size(); ++j) EXPECT_NEAR(divided[j], all[j], 1e-9) << j;
}

TEST_F(FoundIrreps, OfAllStatesAreReported) {
  const Outcome found = run(water("  ORBSYM=1,1,1,1,1,1,1,"));
  ASSERT_TRUE(found.is_good());
  for (const auto& state : found.analysis->states) EXPECT_TRUE(state.irrep.has_value());
  EXPECT_EQ(found.determinant_problem->irreps.orbitals, (std::vector<int>{0, 0, 1, 0, 2, 0, 1}));
}

/// Energies stay the same if no irrep is requested.
TEST_F(FoundIrreps, ChangeNoEnergy) {
  Request named = water("");
  named.fcidump = kNamed;
  const std::vector<double> expected = energies_of(run(named));
  const std::vector<double> energies = energies_of(run(water("  ORBSYM=0,0,0,0,0,0,0,")));
  ASSERT_EQ(energies.size(), expected.size());
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(energies[j], expected[j], 1e-10);
}

TEST_F(FoundIrreps, AreTakenFromAFileThatNamesThem) {
  const auto irreps = [&](const Request& request) {
    return open_problem(request, base::Backend::openmp()).irreps;
  };
  EXPECT_FALSE(irreps(water("  ORBSYM=1,1,3,1,2,1,3,")).found);
  EXPECT_EQ(irreps(water("  ORBSYM=1,1,3,1,2,1,3,")).orbitals,
            (std::vector<int>{0, 0, 2, 0, 1, 0, 2}));
  EXPECT_FALSE(irreps(water("  ORBSYM=1,1,3,2,2,1,3,")).found);  // broken by the integrals
  EXPECT_TRUE(irreps(water("  ORBSYM=1,1,1,1,1,1,1,")).found);
  Request lattice;
  lattice.source = ProblemSource::lattice;
  lattice.lattice.columns = 4;
  lattice.lattice.t = 0;  // unconnected sites
  EXPECT_FALSE(irreps(lattice).found);
}

/// The neglected integrals between them are reported.
TEST_F(FoundIrreps, NeglectOnlyRounding) {
  const auto neglected = [&](const std::string& integral) {
    return open_problem(water("", integral), base::Backend::openmp()).irreps.neglected;
  };
  EXPECT_LT(neglected(""), 1e-14);
  EXPECT_EQ(neglected(" 9e-11 2 1 5 1\n"), 9e-11);
}

TEST_F(FoundIrreps, WhatTheyForbidIsZero) {
  const auto zeros = [&](const std::string& integral) {
    return open_molecule(water("", integral), base::Backend::openmp()).noise;
  };
  EXPECT_EQ(zeros(" 9e-11 2 1 5 1\n"), zeros("") + 1);
}

TEST_F(FoundIrreps, AreRefusedIfAbsent) {
  const auto refusal = [](const Request& request) -> std::string {
    try {
      open_molecule(request, base::Backend::openmp());
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::configuration);
      return error.what();
    }
    return {};
  };
  Request request = water("");
  request.space.irrep = 5;
  EXPECT_NE(refusal(request).find("do not generate this irrep; expected one of 1, 2, 3, 4"),
            std::string::npos);
  request = water("  ORBSYM=1,1,3,2,2,1,3,");
  request.space.irrep = 2;
  EXPECT_NE(refusal(request).find(
                "or a file without ORBSYM, whose irreps are derived from the integrals"),
            std::string::npos);
  request = water("", " 0.1 2 1 5 1\n 0.1 3 1 1 1\n");
  request.space.irrep = 2;
  EXPECT_NE(refusal(request).find("have no symmetry; expected 'irrep: any'"), std::string::npos);
}

/// Files of other programs: their named irreps are among the found ones.
TEST(FoundIrrepsOfFiles, EqualThoseOfTheirOrbitalSymmetries) {
  if (!std::filesystem::exists(test::reference_data() / "n2_sto3g.fcidump"))
    GTEST_SKIP() << "no reference data";
  for (const char* name : {"c2_cas_pvdz", "n2_cas_631g", "n2_sto3g", "h8_sto6g", "c_atom"}) {
    const auto path = test::reference_data() / (std::string(name) + ".fcidump");
    const io::MolecularProblem problem = io::read_fcidump(path, {}, base::Backend::openmp());
    const std::vector<int>& named = problem.integrals.irreps();
    const std::vector<int> found = ci::find_symmetry(problem.integrals).labels;
    EXPECT_GT(std::ranges::max(named), 0) << name;
    for (std::size_t p = 0; p < named.size(); ++p)
      for (std::size_t q = 0; q < p; ++q)
        EXPECT_EQ(found[p] == found[q], named[p] == named[q]) << name << ' ' << p << ' ' << q;
  }
}

}  // namespace
}  // namespace cisolve::job

#include <filesystem>
#include <map>

#include "ci/fock/integrals/symmetry.hpp"
#include "ci/fock/models/electron_models.hpp"
#include "tests/io/fcidump_text.hpp"
#include "tests/support/ci_systems.hpp"

namespace cisolve {
namespace {

using Facts = std::tuple<int, int, int>;  // orbitals, alpha, beta

/// Files collected from other projects, if present next to the source tree.
class FcidumpData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(test::reference_data()))
      GTEST_SKIP() << "no reference data: the collection of integral files";
  }
  static io::MolecularProblem read(const std::string& name) {
    io::FcidumpOptions options;
    if (name.ends_with(".dat")) options.electrons = 10;
    return io::read_fcidump(test::reference_data() / name, options, test::kHost);
  }
};

const std::map<std::string, Facts> kFacts = {
    {"c2_cas_pvdz.fcidump", {26, 4, 4}},       {"c_atom.fcidump", {22, 4, 2}},
    {"forte_100.fcidump", {10, 1, 1}},         {"forte_36.fcidump", {4, 2, 2}},
    {"h12_chain.fcidump", {12, 6, 6}},         {"h14_chain.fcidump", {14, 7, 7}},
    {"h16_chain.fcidump", {16, 8, 8}},         {"h18_chain.fcidump", {18, 9, 9}},
    {"h2o_ccpvdz_headerless.dat", {24, 5, 5}}, {"h2o_sto2g.fcidump", {7, 5, 5}},
    {"h8_sto6g.fcidump", {8, 4, 4}},           {"he2.fcidump", {10, 2, 2}},
    {"hubbard_l16.fcidump", {16, 8, 8}},       {"hubbard_l8.fcidump", {8, 4, 4}},
    {"n2_3a_localised.fcidump", {6, 3, 3}},    {"n2_6e6o.fcidump", {6, 3, 3}},
    {"n2_cas_631g.fcidump", {16, 5, 5}},       {"n2_sto3g.fcidump", {10, 7, 7}},
    {"n2_sto6g.fcidump", {10, 7, 7}},          {"o2.fcidump", {8, 6, 6}}};

TEST_F(FcidumpData, EveryFileIsRead) {
  for (const auto& [name, facts] : kFacts) {
    SCOPED_TRACE(name);
    const io::MolecularProblem problem = read(name);
    EXPECT_EQ(Facts(problem.integrals.orbitals(), problem.alpha, problem.beta), facts);
    EXPECT_EQ(problem.warnings.size(), name.ends_with(".dat") ? 1 : 0);
  }
}

TEST_F(FcidumpData, NoFileIsLeftOut) {
  for (const auto& entry : std::filesystem::directory_iterator(test::reference_data()))
    EXPECT_TRUE(entry.is_directory() || entry.path().extension() == ".json" ||
                kFacts.contains(entry.path().filename()))
        << entry.path();
}

TEST_F(FcidumpData, SymmetriesOfTheFilesHold) {
  const std::map<std::string, int> highest = {
      {"c2_cas_pvdz.fcidump", 7}, {"c_atom.fcidump", 6}, {"h2o_sto2g.fcidump", 3},
      {"h8_sto6g.fcidump", 4},    {"he2.fcidump", 7},    {"n2_cas_631g.fcidump", 6},
      {"n2_sto3g.fcidump", 6}};
  for (const auto& [name, facts] : kFacts) {
    const ci::Integrals integrals = read(name).integrals;
    const auto most = highest.find(name);
    EXPECT_EQ(std::ranges::max(integrals.irreps()), most == highest.end() ? 0 : most->second);
    EXPECT_LT(ci::largest_broken_integral(integrals, integrals.irreps()).size, 1e-12);
  }
}

TEST_F(FcidumpData, IntegralsAgreeWithANaiveReader) {
  for (const auto& [name, facts] : kFacts) {
    SCOPED_TRACE(name);
    const int orbitals = std::get<0>(facts);
    if (orbitals > 12) continue;
    // The plain reading keeps the last of several equal elements, which differ by rounding.
    const ci::Integrals plain = test::plain_integrals(name, orbitals, false);
    test::expect_same_integrals(read(name).integrals, plain, 1e-12);
  }
}

TEST_F(FcidumpData, HubbardFilesAgreeWithTheModel) {
  for (const int sites : {8, 16}) {
    const auto file = read(base::concat("hubbard_l", sites, ".fcidump"));
    const ci::LatticeShape chain{sites, 1, false, false};
    test::expect_same_integrals(file.integrals,
                                ci::hubbard({.shape = chain, .t = -1, .u = 2}, test::kHost));
  }
}

}  // namespace
}  // namespace cisolve

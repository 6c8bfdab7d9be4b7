#include <gmock/gmock.h>

#include "ci/integrals/random_integrals.hpp"
#include "ci/integrals/symmetry.hpp"
#include "tests/io/fcidump_text.hpp"

// The symmetries of orbitals, in the numberings of other programs.
namespace cisolve {
namespace {

using io::MolecularProblem;
using test::Integrals;
using test::kBody;
using test::kHeader;
using test::kHost;
using test::Spin;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FcidumpSymmetry : public test::FcidumpTest {
 protected:
  /// Reads random integrals of these labels in a file with this ORBSYM.
  MolecularProblem read_symmetric(const std::vector<int>& labels, const std::string& symmetries,
                                  const std::string& more = "") const {
    const auto n = static_cast<int>(labels.size());
    const Integrals v = ci::random_integrals({.orbitals = n, .irreps = labels, .seed = 9}, kHost);
    const auto index = [](Spin, int p) { return p + 1; };
    return read(
        base::concat("&FCI NORB=", n, ",NELEC=2,MS2=0,ORBSYM=", symmetries, ",", more, "/\n") +
        test::two_electron_lines(v, Spin::alpha, Spin::alpha, index) +
        test::one_electron_lines(v, Spin::alpha, index) + "0.0 0 0 0 0\n");
  }
};

TEST_F(FcidumpSymmetry, MapsTheOneBasedOrderOfMolproAndOfCotton) {
  const MolecularProblem problem = read_symmetric({0, 1, 2, 3}, "1,2,3,4", "ISYM=3");
  EXPECT_EQ(problem.integrals.irreps(), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(problem.irrep, 2);
  EXPECT_THAT(problem.warnings, IsEmpty());
}

TEST_F(FcidumpSymmetry, MapsTheZeroBasedOrder) {
  EXPECT_EQ(read_symmetric({0, 5, 6, 3}, "0,5,6,3").integrals.irreps(),
            (std::vector<int>{0, 5, 6, 3}));
}

TEST_F(FcidumpSymmetry, ZeroBasedLabelsWithoutAZeroAreToldByTheIntegrals) {
  // Read as 1-based, 1 2 4 7 would be 0 1 3 6, whose product is not 0; 1 ^ 2 ^ 4 ^ 7 is.
  const MolecularProblem problem = read_symmetric({1, 2, 4, 7, 1}, "1,2,4,7,1");
  EXPECT_EQ(problem.integrals.irreps(), (std::vector<int>{1, 2, 4, 7, 1}));
  EXPECT_THAT(problem.warnings, IsEmpty());
}

TEST_F(FcidumpSymmetry, AllZeroMeansNone) {
  const MolecularProblem problem = read_symmetric({0, 0, 0}, "0,0,0", "ISYM=0");
  EXPECT_EQ(problem.integrals.irreps(), std::vector<int>(3, 0));
  EXPECT_EQ(problem.irrep, std::nullopt);
  EXPECT_THAT(problem.warnings, IsEmpty());
}

/// Molpro and PySCF number the same irreps differently: 2 is B3u of the one and B2g of the other.
TEST_F(FcidumpSymmetry, IrrepsAreNamedWhereTheGroupIsKnown) {
  const auto molpro = read_symmetric({0, 1, 4, 6}, "1,2,5,7").irreps;
  EXPECT_EQ(molpro.numbering, "Molpro's numbering, from 1");
  EXPECT_EQ(molpro.group, "D2h");  // no other has a fifth irrep
  EXPECT_EQ(ci::irreps_text(molpro, std::vector{0, 1, 4, 6}),
            "1 Ag, 2 B3u, 3 B2u, 4 B1g, 5 B1u, 6 B2g, 7 B3g, 8 Au");
  const auto pyscf = read_symmetric({0, 5, 6, 3}, "0,5,6,3").irreps;
  EXPECT_EQ(pyscf.numbering, "PySCF's numbering, from 0");
  EXPECT_EQ(ci::irreps_text(pyscf, std::vector{0, 5, 6}), "1 Ag, 4 B3g, 6 B1u, 7 B2u");
  const auto unknown = read_symmetric({0, 1, 2}, "1,2,3").irreps;
  EXPECT_EQ(unknown.numbering, "Molpro's numbering, from 1");
  EXPECT_EQ(unknown.group, "");
  EXPECT_EQ(ci::irreps_text(unknown, std::vector{0, 1, 2}), "1, 2, 3, 4");
  EXPECT_EQ(read_symmetric({0, 0}, "1,1").irreps.numbering, "");
}

TEST_F(FcidumpSymmetry, TheHeaderMayNameTheGroup) {
  const auto named = [&](const std::string& symmetries, const std::string& group) {
    const MolecularProblem problem = read_symmetric({0, 1, 2}, symmetries, "PNTGRP=" + group);
    return problem.irreps.group + ": " +
           ci::irreps_text(problem.irreps, problem.integrals.irreps());
  };
  EXPECT_EQ(named("1,2,3", "'c2v'"), "C2v: 1 A1, 2 B1, 3 B2, 4 A2");
  EXPECT_EQ(named("0,1,2", "C2V"), "C2v: 1 A1, 2 A2, 3 B1, 4 B2");
  EXPECT_EQ(named("1,2,3", "\"D2\""), "D2: 1 A, 2 B3, 3 B2, 4 B1");
  EXPECT_EQ(named("1,2,3", "C2h"), "C2h: 1 Ag, 2 Au, 3 Bu, 4 Bg");
  EXPECT_EQ(named("1,2,3", "Cs"), ": 1, 2, 3, 4");  // which has but two
}

TEST_F(FcidumpSymmetry, LinearMoleculesFallBackOnTheirAbelianSubgroup) {
  // Dinfh: A1g 0, E1gx 2, E1gy 3, E2gx 10, E2gy 11, E1uy 6.
  const MolecularProblem problem = read_symmetric({0, 2, 3, 0, 1, 6}, "0,2,3,10,11,6");
  EXPECT_EQ(problem.integrals.irreps(), (std::vector<int>{0, 2, 3, 0, 1, 6}));
  EXPECT_THAT(problem.warnings, IsEmpty());
}

TEST_F(FcidumpSymmetry, IsOffWhereTheIntegralsBreakIt) {
  const MolecularProblem problem = read_symmetric({0, 1, 0, 1}, "1,2,2,1", "ISYM=1");
  EXPECT_EQ(problem.integrals.irreps(), std::vector<int>(4, 0));
  EXPECT_EQ(problem.irrep, std::nullopt);
  EXPECT_THAT(problem.warnings, Contains(HasSubstr("symmetry is off: the integrals break")));
}

TEST_F(FcidumpSymmetry, IsOffForLabelsOfNoConvention) {
  for (const std::string symmetries : {"-1,2,1,2", "0,9,1,1", "0,8,1,1"}) {
    const MolecularProblem problem = read_symmetric({0, 1, 0, 1}, symmetries);
    EXPECT_EQ(problem.integrals.irreps(), std::vector<int>(4, 0));
    EXPECT_THAT(problem.warnings, Contains(HasSubstr("symmetry is off")));
  }
}

TEST_F(FcidumpSymmetry, NoiseBelowTheToleranceDoesNotBreakIt) {
  const std::string text = std::string(kHeader) + "/\n" + std::string(kBody);
  EXPECT_EQ(read(text + "9e-9 2 1 0 0\n").integrals.irreps(), (std::vector<int>{0, 4}));
  EXPECT_EQ(read(text + "1.1e-8 2 1 0 0\n").integrals.irreps(), (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace cisolve

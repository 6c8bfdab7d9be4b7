#include <gmock/gmock.h>

#include "ci/fock/integrals/random_integrals.hpp"
#include "ci/fock/integrals/symmetry.hpp"
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
                                  const std::string& more = "",
                                  const io::FcidumpOptions& options = {}) const {
    const auto n = static_cast<int>(labels.size());
    const Integrals v = ci::random_integrals({.orbitals = n, .irreps = labels, .seed = 9}, kHost);
    const auto index = [](Spin, int p) { return p + 1; };
    return read(
        base::concat("&FCI NORB=", n, ",NELEC=2,MS2=0,ORBSYM=", symmetries, ",", more, "/\n") +
            test::two_electron_lines(v, Spin::alpha, Spin::alpha, index) +
            test::one_electron_lines(v, Spin::alpha, index) + "0.0 0 0 0 0\n",
        options);
  }
};

TEST_F(FcidumpSymmetry, MapsTheOneBasedOrderOfMolproAndOfCotton) {
  const MolecularProblem problem = read_symmetric({0, 1, 2, 3}, "1,2,3,4", "ISYM=3");
  EXPECT_EQ(problem.integrals.irreps(), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(problem.irrep, 2);
  EXPECT_THAT(problem.warnings, IsEmpty());
}

/// Ag, B1u, B2u and B3g of D2h are 1, 5, 3 and 7 of Molpro.
TEST_F(FcidumpSymmetry, MapsTheZeroBasedOrder) {
  EXPECT_EQ(read_symmetric({0, 5, 6, 3}, "0,5,6,3").integrals.irreps(),
            (std::vector<int>{0, 4, 2, 6}));
  EXPECT_EQ(read_symmetric({0, 2, 3}, "0,2,3").integrals.irreps(),
            (std::vector<int>{0, 2, 3}));  // labels of an unknown group
}

TEST_F(FcidumpSymmetry, ZeroBasedLabelsWithoutAZeroAreRecognisedByTheIntegrals) {
  // Read as 1-based, 1 2 4 7 would be 0 1 3 6, whose product is not 0; 1 ^ 2 ^ 4 ^ 7 is.
  const MolecularProblem problem = read_symmetric({1, 2, 4, 7, 1}, "1,2,4,7,1");
  EXPECT_EQ(problem.integrals.irreps(), (std::vector<int>{3, 5, 7, 1, 3}));  // Molpro's
  EXPECT_EQ(problem.irreps.numbering, "PySCF's numbering, from 0");
  EXPECT_FALSE(problem.irreps.assumed);
  EXPECT_THAT(problem.warnings, IsEmpty());
}

TEST_F(FcidumpSymmetry, AllZeroMeansNone) {
  const MolecularProblem problem = read_symmetric({0, 0, 0}, "0,0,0", "ISYM=0");
  EXPECT_EQ(problem.integrals.irreps(), std::vector<int>(3, 0));
  EXPECT_EQ(problem.irrep, std::nullopt);
  EXPECT_THAT(problem.warnings, IsEmpty());
}

/// Molpro and PySCF number irreps differently: 2 is B3u in Molpro and B2g in PySCF.
TEST_F(FcidumpSymmetry, IrrepsAreNamedIfTheGroupIsKnown) {
  const auto molpro = read_symmetric({0, 1, 4, 6}, "1,2,5,7").irreps;
  EXPECT_EQ(molpro.numbering, "Molpro's numbering, from 1");
  EXPECT_EQ(molpro.group, "D2h");  // no other has a fifth irrep
  EXPECT_EQ(ci::irreps_text(molpro, std::vector{0, 1, 4, 6}),
            "1 Ag, 2 B3u, 3 B2u, 4 B1g, 5 B1u, 6 B2g, 7 B3g, 8 Au");
  const auto pyscf = read_symmetric({0, 5, 6, 3}, "0,5,6,3").irreps;
  EXPECT_EQ(pyscf.numbering, "PySCF's numbering, from 0");
  EXPECT_EQ(ci::irreps_text(pyscf, std::vector{0, 4, 2}), "1 Ag, 3 B2u, 5 B1u, 7 B3g");
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
  EXPECT_EQ(named("0,1,2", "C2V"), "C2v: 1 A1, 2 B1, 3 B2, 4 A2");
  EXPECT_EQ(named("1,2,3", "\"D2\""), "D2: 1 A, 2 B3, 3 B2, 4 B1");
  EXPECT_EQ(named("1,2,3", "C2h"), "C2h: 1 Ag, 2 Au, 3 Bu, 4 Bg");
  EXPECT_EQ(named("1,2,3", "Cs"), ": 1, 2, 3, 4");  // Cs has only two irreps
  EXPECT_EQ(named("0,2,3", "Coov"), "C2v: 1 A1, 2 B1, 3 B2, 4 A2");
  EXPECT_EQ(named("0,2,3", "Dooh"), "D2h: 1 Ag, 4 B1g, 6 B2g, 7 B3g");
}

/// The numbers of the pi orbitals of N2 in PySCF, B2u, B3u, B2g and B3g, are all valid in Molpro,
/// too.
TEST_F(FcidumpSymmetry, TheNumberingIsAssumedIfNothingDecidesIt) {
  const std::vector<int> labels{2, 1, 5, 6};
  const auto pi = [&](const io::FcidumpOptions& options) {
    return read_symmetric(labels, "6,7,2,3", "", options);
  };
  const MolecularProblem assumed = pi({});
  EXPECT_TRUE(assumed.irreps.assumed);
  EXPECT_EQ(assumed.irreps.numbering, "Molpro's numbering, from 1");
  EXPECT_EQ(assumed.integrals.irreps(), (std::vector<int>{5, 6, 1, 2}));
  const MolecularProblem pyscf = pi({.numbering = ci::IrrepNumbering::pyscf});
  EXPECT_FALSE(pyscf.irreps.assumed);
  EXPECT_EQ(pyscf.irreps.group, "D2h");
  EXPECT_EQ(pyscf.integrals.irreps(), labels);
  const MolecularProblem molpro = pi({.numbering = ci::IrrepNumbering::molpro});
  EXPECT_FALSE(molpro.irreps.assumed);
  EXPECT_EQ(molpro.integrals.irreps(), assumed.integrals.irreps());
}

TEST_F(FcidumpSymmetry, TheNumberingFollowsFromTheRangeOrTheIntegrals) {
  EXPECT_TRUE(read_symmetric({0, 4, 1}, "1,5,2").irreps.assumed);
  EXPECT_FALSE(read_symmetric({0, 4, 7}, "1,5,8").irreps.assumed);  // PySCF has no 8
  EXPECT_FALSE(read_symmetric({0, 4, 1}, "0,4,1").irreps.assumed);  // Molpro has no 0
  // 1 2 3 4 of PySCF multiply to 4, those of Molpro to the totally symmetric irrep.
  EXPECT_FALSE(read_symmetric({0, 1, 2, 3}, "1,2,3,4").irreps.assumed);
  const auto of_group = [&](const std::string& symmetries, const std::string& group) {
    return read_symmetric({0, 1}, symmetries, "PNTGRP=" + group).irreps.assumed;
  };
  EXPECT_TRUE(of_group("1,2", "C2v"));
  EXPECT_FALSE(of_group("1,2", "Cs"));  // PySCF's are 0 and 1
}

TEST_F(FcidumpSymmetry, AContradictedNumberingIsRefused) {
  const auto refuse = [&](const std::string& symmetries, ci::IrrepNumbering numbering,
                          std::string_view words) {
    test::expect_failure(
        [&] {
          read_symmetric({0, 1, 2, 3}, symmetries, "", {.numbering = numbering});
        },
        base::ErrorKind::configuration, words);
  };
  refuse("0,1,2,3", ci::IrrepNumbering::molpro,
         "its numbers are 1 to 8; set problem.orbital_"
         "symmetries to pyscf, which they fit");
  refuse("1,2,3,4", ci::IrrepNumbering::pyscf,
         "x.fcidump:1: the orbital symmetries are not in "
         "PySCF's numbering, from 0, which problem.orbital_");
  // If neither fits, symmetry is off, whatever was claimed.
  const MolecularProblem off =
      read_symmetric({0, 1, 0, 1}, "1,2,2,1", "", {.numbering = ci::IrrepNumbering::pyscf});
  EXPECT_THAT(off.warnings, Contains(HasSubstr("symmetry is off: the integrals break")));
}

/// When PySCF writes Molpro's numbers, A1, A2, B1, B2 of Coov get the numbers that Ag, B1g, B2g,
/// B3g have in D2h.
TEST_F(FcidumpSymmetry, GeradeIrrepsAloneDetermineNoGroup) {
  const auto read_gerade = [&](const std::string& more) {
    return read_symmetric({0, 3, 5, 6}, "1,4,6,7", more);
  };
  EXPECT_EQ(read_gerade("").irreps.group, "");
  EXPECT_EQ(read_gerade("").integrals.irreps(), (std::vector<int>{0, 3, 5, 6}));
  EXPECT_EQ(read_gerade("PNTGRP=D2h").irreps.group, "D2h");
  const MolecularProblem c2v = read_gerade("PNTGRP=C2v");
  EXPECT_EQ(c2v.irreps.group, "C2v");
  EXPECT_FALSE(c2v.irreps.assumed);
  EXPECT_EQ(c2v.integrals.irreps(), (std::vector<int>{0, 3, 1, 2}));
  EXPECT_EQ(read_symmetric({0, 5, 6, 1}, "1,6,7,2").irreps.group, "D2h");
}

/// PySCF writes 1 for all orbitals if it knows no symmetry.
TEST_F(FcidumpSymmetry, AllOnesOfPyscfMeanNoSymmetry) {
  const io::FcidumpOptions pyscf{.numbering = ci::IrrepNumbering::pyscf};
  EXPECT_EQ(read_symmetric({0, 0}, "1,1", "", pyscf).integrals.irreps(), (std::vector<int>{0, 0}));
  EXPECT_EQ(read_symmetric({0, 0}, "1,1", "PNTGRP=Cs", pyscf).integrals.irreps(),
            (std::vector<int>{1, 1}));
}

TEST_F(FcidumpSymmetry, LinearMoleculesFallBackOnTheirAbelianSubgroup) {
  // Dinfh: A1g 0, E1gx 2, E1gy 3, E2gx 10, E2gy 11, E1uy 6.
  const MolecularProblem problem = read_symmetric({0, 2, 3, 0, 1, 6}, "0,2,3,10,11,6");
  EXPECT_EQ(problem.integrals.irreps(), (std::vector<int>{0, 5, 6, 0, 3, 2}));  // Molpro's
  EXPECT_THAT(problem.warnings, IsEmpty());
}

TEST_F(FcidumpSymmetry, IsOffIfTheIntegralsBreakIt) {
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

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "ci/fock/integrals/random_integrals.hpp"
#include "tests/io/fcidump_text.hpp"

// Files whose integrals depend on spin, in each dialect.
namespace cisolve {
namespace {

using io::MolecularProblem;
using test::Integrals;
using test::kHost;
using test::Spin;
using ::testing::Contains;
using ::testing::HasSubstr;

class FcidumpSpins : public test::FcidumpTest {
 protected:
  FcidumpSpins()
      : expected_(ci::random_integrals(
            {.orbitals = 3, .spin_dependent = true, .irreps = {0, 1, 0}, .seed = 5}, kHost)) {
    expected_.set_core_energy(2.5);
  }
  static int spatial(Spin, int p) { return p + 1; }
  static int interleaved(Spin spin, int p) { return 2 * p + (spin == Spin::alpha ? 1 : 2); }
  static int one_after_the_other(Spin spin, int p) { return p + (spin == Spin::alpha ? 1 : 4); }

  std::string lines(const std::function<int(Spin, int)>& index) const {
    return two("ab", index) + two("aa", index) + two("bb", index) + one("a", index) +
           one("b", index) + "2.5 0 0 0 0\n";
  }
  std::string one(std::string_view spin, const std::function<int(Spin, int)>& index) const {
    return test::one_electron_lines(expected_, of(spin[0]), index);
  }
  std::string two(std::string_view spins, const std::function<int(Spin, int)>& index) const {
    return test::two_electron_lines(expected_, of(spins[0]), of(spins[1]), index);
  }
  std::string six_blocks() const {
    const std::string close = " 0.0 0 0 0 0\n";
    return two("aa", spatial) + close + two("bb", spatial) + close + two("ab", spatial) + close +
           one("a", spatial) + close + one("b", spatial) + close + "2.5 0 0 0 0\n";
  }
  static Spin of(char c) { return c == 'a' ? Spin::alpha : Spin::beta; }

  Integrals expected_;
};

TEST_F(FcidumpSpins, ReadsSixBlocks) {
  const MolecularProblem problem =
      read("&FCI NORB=3,NELEC=3,MS2=1,IUHF=1,ORBSYM=1,2,1,ISYM=2,/\n" + six_blocks());
  EXPECT_THAT(problem.dialect, HasSubstr("six blocks"));
  test::expect_same_integrals(problem.integrals, expected_);
  EXPECT_EQ(problem.integrals.irreps(), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(problem.irrep, 1);
  EXPECT_EQ(problem.alpha, 2);
}

TEST_F(FcidumpSpins, TheBlockOfTheCoreEnergyMayBeClosedAsTheOthersAre) {
  const std::string header = "&FCI NORB=3,NELEC=3,MS2=1,IUHF=1,/\n";
  const MolecularProblem problem = read(header + six_blocks() + " 0.0 0 0 0 0\n");
  test::expect_same_integrals(problem.integrals, expected_);
  EXPECT_EQ(problem.integrals.core_energy(), 2.5);
  expect_refused(header + six_blocks() + "1.5 0 0 0 0\n", "98: the core energy is 1.5, but line");
  expect_refused(header + six_blocks() + "0.0 0 0 0 0\n0.0 0 0 0 0\n",
                 "99: the core energy is 0.0");
}

TEST_F(FcidumpSpins, NeverReadsSixBlocksAsRestricted) {
  expect_refused("&FCI NORB=3,NELEC=3,MS2=1,/\n" + six_blocks(), "");
  expect_refused("&FCI NORB=3,NELEC=3,MS2=1,IUHF=1,/\n" + two("aa", spatial) + "0.0 0 0 0 0\n",
                 "1: IUHF=1, but the file is not divided into blocks");
}

TEST_F(FcidumpSpins, ReadsInterleavedSpinOrbitals) {
  const MolecularProblem problem =
      read("&FCI NORB=6,NELEC=3,MS2=1,UHF=.TRUE.,ORBSYM=1,1,2,2,1,1,/\n" + lines(interleaved));
  EXPECT_THAT(problem.dialect, HasSubstr("alpha odd and beta even"));
  test::expect_same_integrals(problem.integrals, expected_);
  EXPECT_EQ(problem.integrals.irreps(), (std::vector<int>{0, 1, 0}));
}

TEST_F(FcidumpSpins, ReadsAlphaThenBeta) {
  for (const std::string flag : {"UHF=.TRUE.", "IUHF=1"})
    for (const std::string symmetries : {"1,2,1", "1,2,1,1,2,1"}) {
      const MolecularProblem problem =
          read(base::concat("&FCI NORB=3,NELEC=3,MS2=1,", flag, ",ORBSYM=", symmetries, ",/\n",
                            lines(one_after_the_other)));
      EXPECT_THAT(problem.dialect, HasSubstr("alpha first and beta after"));
      test::expect_same_integrals(problem.integrals, expected_);
      EXPECT_EQ(problem.integrals.irreps(), (std::vector<int>{0, 1, 0}));
    }
}

TEST_F(FcidumpSpins, AlphaBetaPairsMayComeInEitherOrder) {
  const std::string header = "&FCI NORB=4,NELEC=2,MS2=0,UHF=.TRUE.,/\n";
  const Integrals v =
      read(header + "0.5 3 1 2 2\n0.5 2 2 1 3\n0 1 2 1 2\n", {.has_one_electron = false}).integrals;
  EXPECT_EQ(v.two(Spin::alpha, 1, 0, Spin::beta, 0, 0), 0.5);
  EXPECT_EQ(v.two(Spin::beta, 0, 0, Spin::alpha, 0, 1), 0.5);
  EXPECT_EQ(v.two(Spin::alpha, 0, 0, Spin::beta, 1, 0), 0);
}

TEST_F(FcidumpSpins, DifferentAlphaAndBetaSymmetriesSwitchSymmetryOff) {
  const MolecularProblem problem =
      read("&FCI NORB=6,NELEC=3,MS2=1,UHF=.TRUE.,ORBSYM=1,1,2,1,1,1,/\n" + lines(interleaved));
  EXPECT_EQ(problem.integrals.irreps(), std::vector<int>(3, 0));
  EXPECT_THAT(problem.warnings, Contains(HasSubstr("orbital 2 are of different symmetries")));
}

}  // namespace
}  // namespace cisolve

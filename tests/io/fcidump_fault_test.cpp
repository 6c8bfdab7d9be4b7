#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "tests/io/fcidump_text.hpp"

namespace cisolve {
namespace {

using test::kBody;
using test::kHeader;

class FcidumpFault : public test::FcidumpTest {
 protected:
  static std::string with_body(const std::string& body) {
    return std::string(kHeader) + "/\n" + body;  // the body begins at line 5
  }
  static std::string with_header(const std::string& header) {
    return header + "\n" + std::string(kBody);
  }
};

TEST_F(FcidumpFault, AFileThatEndsInItsHeader) {
  expect_refused("", "1: the file is empty");
  expect_refused("\n\n", "1: the file is empty");
  expect_refused("&FCI NORB=2", "1: the file ends in its header");
  expect_refused(std::string(kHeader), "3: the file ends in its header");
  expect_refused("&FCI NORB=2,NELEC=2,PNTGRP='D2h\n/\n", "1: a text has no closing quote");
  expect_refused(std::string(kHeader) + "/", "4: no integrals");
  expect_refused(std::string(kHeader) + "/\n\n! nothing\n", "6: no integrals");
}

TEST_F(FcidumpFault, AHeaderWithoutElectronsOrOrbitals) {
  expect_refused(with_header("&FCE NORB=2,NELEC=2,/"), "1: the header begins with '&FCE'");
  expect_refused(with_header("&FCI NELEC=2,/"), "1: the header has no NORB");
  expect_refused(with_header("&FCI NORB=2,/"), "1: the number of electrons is not given");
  expect_refused(with_header("&FCI NORB=,NELEC=2,/"), "1: NORB has no value");
  expect_refused(with_header("&FCI NORB=2.5,NELEC=2,/"), "1: NORB has the value '2.5'");
  expect_refused(with_header("&FCI NORB=2,NELEC=two/"), "1: NELEC has the value 'TWO'");
  expect_refused(with_header("&FCI NORB=2,\nNORB=2,NELEC=2,/"), "2: NORB is given twice");
  expect_refused(with_header("&FCI NORB=2,NELEC=2,NELEC=4,/"), "1: NELEC is given twice");
  expect_refused(with_header("&FCI 2,NELEC=2,/"), "1: '2' stands before any key");
  expect_refused(with_header("&FCI NORB=2,NELEC=2,UHF=maybe,/"), "1: UHF has the value 'MAYBE'");
  expect_refused(with_header("&FCI NORB=2,NELEC=2,/ 0.5 1 1 1 1"), "1: text follows the end");
  // An unclosed header swallows the integrals; the error is detected at the first of them.
  expect_refused(with_header("&FCI NORB=2,NELEC=2,ISYM=1"), "2: ISYM has a second value '0.7'");
}

TEST_F(FcidumpFault, AnEndlessHeader) {
  std::string keys = "&FCI NORB=2,NELEC=2,\n";
  for (int key = 0; key < 198; ++key) keys += base::concat("KEY", key, "=1\n");
  EXPECT_EQ(read(with_header(keys + "/")).integrals.orbitals(), 2);
  expect_refused(with_header(keys + "ONE=1,MORE=1,/"), "200: the header has more than 200 keys");
  const std::string open = "&FCI NORB=2,NELEC=2,\n";
  for (const std::string& filling :
       {std::string(1 << 20, '\n'), "! " + std::string(1 << 20, 'x') + "\n",
        "OCC=" + std::string(1 << 20, '1')})
    expect_refused(with_header(open + filling + "/"), "1: the header has more than 1048576 bytes");
}

TEST_F(FcidumpFault, BytesOfValueZeroAreRefusedAtTheFirst) {
  using namespace std::string_literals;
  const std::string body(kBody);
  const std::string words = ": the file contains a zero byte";
  expect_refused("\0\0&FCI NORB=2,NELEC=2,/\n"s + body, "1" + words);
  for (const std::string& header :
       {"&FCI NORB=2,\n\0NELEC=2,/"s, "&FCI NORB=2,\nNELEC=2\0,/"s, "&FCI NORB=2,\n!\0\nNELEC=2,/"s,
        "&FCI NORB=2,\nNELEC=2,PNTGRP='D2\0h',/"s, "&FCI NORB=2,\nNELEC=2,ORBSYM=1,\0 5,/"s})
    expect_refused(with_header(header), "2" + words);
  expect_refused(with_body("0.7 1 1 1 1\n0.\0007 2 2 1 1\n"s), "6" + words);
  expect_refused(with_body("0.7 1 1 1 1\n\0"s), "6" + words);
  expect_refused(with_body("0.7 1 1 1\0001\n"s), "5" + words);
  expect_refused(with_body("! " + std::string(1 << 20, '\0') + "\n" + body), "5" + words);
}

TEST_F(FcidumpFault, AnEndlessNumber) {
  expect_refused(with_body("+" + std::string(1 << 20, '1') + " 1 1 1 1\n"), "5: '+1111");
}

TEST_F(FcidumpFault, SymmetriesThatAreNotOneAnOrbital) {
  expect_refused(with_header("&FCI NORB=2,NELEC=2,\nORBSYM=1,1,1,/"), "2: ORBSYM holds 3 values");
  expect_refused(with_header("&FCI NORB=2,NELEC=2,ORBSYM=1,/"), "1: ORBSYM holds 1 values");
  expect_refused(with_header("&FCI NORB=2,NELEC=2,ORBSYM=,/"), "1: ORBSYM holds 0 values");
  expect_refused(with_header("&FCI NORB=2,NELEC=2,ORBSYM=99999999999*1,/"),
                 "1: ORBSYM has more than 512");
}

TEST_F(FcidumpFault, ImpossibleElectronCounts) {
  expect_refused(with_header("&FCI NORB=2,NELEC=3,MS2=0,/"), "1: 3 electrons with MS2 = 0");
  expect_refused(with_header("&FCI NORB=2,\nNELEC=2,\nMS2=1,/"), "3: 2 electrons with MS2 = 1");
  expect_refused(with_header("&FCI NORB=2,NELEC=5,MS2=1,/"), "1: 5 electrons in 2 orbitals");
  expect_refused(with_header("&FCI NORB=2,NELEC=-1,MS2=1,/"), "1: -1 electrons");
  expect_refused(with_header("&FCI NORB=2,NELEC=2,MS2=4,/"), "1: MS2 = 4 with 2 electrons");
  expect_refused(with_header("&FCI NORB=2,NELEC=4,MS2=2,/"), "1: MS2 = 2 with 4 electrons");
  expect_refused(with_header("&FCI NORB=2,NELEC=999999999999,MS2=0,/"),
                 "1: 999999999999 electrons");
}

TEST_F(FcidumpFault, HugeOrbitalCountsAreRefusedBeforeAllocation) {
  expect_refused(with_header("&FCI NORB=1000000000,NELEC=2,/"), "1: NORB = 1000000000");
  expect_refused(with_header("&FCI NORB=1000000000,NELEC=2,UHF=.TRUE.,/"), "1: NORB = 1000000000");
  expect_refused(with_header("&FCI NORB=99999999999999999999,NELEC=2,/"),
                 "1: NORB has the value '9999");
  expect_refused(with_header("&FCI NORB=0,NELEC=0,/"), "1: NORB = 0");
  expect_refused(with_header("&FCI NORB=257,NELEC=2,/"), "1: NORB = 257");
  expect_refused("1000000000 1 0 0 0.5\n", "1: orbital index 1000000000", {.electrons = 2});
}

TEST_F(FcidumpFault, ValuesThatAreNoNumbers) {
  for (const std::string value :
       {"NaN", "inf", "-Infinity", "1e999", "1.5D+999", "0x1p3", "abc", "1.5.2", "1,5", "--1"})
    expect_refused(with_body("0.7 1 1 1 1\n" + value + " 2 2 1 1\n"),
                   "6: '" + value + "' instead of");
  expect_refused(with_body("(0.5,0.1) 1 1 1 1\n"), "5: complex integrals");
  expect_refused(with_body("( 0.5, 0.1) 1 1 1 1\n"), "5: complex integrals");
}

TEST_F(FcidumpFault, IndicesThatNameNoOrbital) {
  expect_refused(with_body("0.7 1 1 1 3\n"), "5: orbital index 3; expected 0 to 2");
  expect_refused(with_body("0.7 1 1 1 -1\n"), "5: orbital index -1");
  expect_refused(with_body("0.7 2147483648 1 1 1\n"), "5: orbital index 2147483648");
  expect_refused(with_body("0.7 4294967297 1 1 1\n"), "5: orbital index 4294967297");
  expect_refused(with_body("0.7 99999999999999999999 1 1 1\n"), "5: '99999999999999999999'");
  expect_refused(with_body("0.7 1.0 1 1 1\n"), "5: '1.0' instead of an orbital index");
  expect_refused(with_body("0.7 1 0 1 1\n"), "5: the indices 1 0 1 1 do not denote an integral");
  expect_refused(with_body("0.7 0 0 1 1\n"), "5: the indices 0 0 1 1 do not denote an integral");
  expect_refused(with_body("0.7 1 1 1 0\n"), "5: the indices 1 1 1 0 do not denote an integral");
  expect_refused("1 3 0 0 0.5\n", "1: orbital index 3", {.electrons = 2, .orbitals = 2});
}

TEST_F(FcidumpFault, LinesThatAreTooShortOrTooLong) {
  const std::string body(kBody);
  for (const std::string_view cut : {"0.75", "0.75 0", "0.75 0 0", "0.75 0 0 0"}) {
    const std::string truncated = body.substr(0, body.rfind("0.75")) + std::string(cut);
    expect_refused(with_body(truncated), "11: the line ends here");
  }
  expect_refused(with_body("0.7 1 1 1 1 1\n"), "5: unexpected '1'");
}

TEST_F(FcidumpFault, ConflictingDuplicatesNameBothLines) {
  expect_refused(with_body("0.7 2 1 1 1\n0.5 1 1 1 1\n0.71 1 1 1 2\n"), "7: an integral is 0.7");
  expect_refused(with_body("0.7 2 1 1 1\n0.5 1 1 1 1\n0.71 1 1 1 2\n"), "7: an integral");
  const auto says = [&](const std::string& body, std::string_view words) {
    const auto file = text_file("conflict.fcidump", with_body(body));
    test::expect_failure([&] { io::read_fcidump(file, {}, test::kHost); },
                         base::ErrorKind::bad_input, words);
  };
  says("0.7 2 1 1 1\n0.5 1 1 1 1\n0.71 1 1 1 2\n", "but line 5 gives it as 0.7");
  says("-1 1 1 0 0\n\n\n0.5 2 1 0 0\n0.4 1 2 0 0\n", "but line 8 gives it as 0.5");
  says("0.0 1 1 1 1\n0.5 1 1 1 1\n", "but line 5 gives it as 0.0;");
  says("2.5 0 0 0 0\n0.5 1 1 1 1\n2.6 0 0 0 0\n", "the core energy is");
  says("0.25 2 1 1 1\n0.2500003 1 2 1 1\n", "but line 5 gives it as 0.25");
}

/// Orbitals of an angular momentum are complex. Their integrals may be real, but only four of the
/// eight index permutations are then equal: read as real orbitals, this H2 would have -1.154634772
/// instead of -1.146172321.
TEST_F(FcidumpFault, ComplexOrbitalsAreRecognisedByTheirHeader) {
  const auto file = std::filesystem::path(CISOLVE_SOURCES) / "tests/data/h2_lz.fcidump";
  test::expect_failure([&] { io::read_fcidump(file, {}, test::kHost); }, base::ErrorKind::bad_input,
                       "h2_lz.fcidump:5: orbitals with an angular momentum or a wave vector "
                       "are complex");
  const std::string header = "&FCI NORB=2,NELEC=2,ORBSYM=1,5\n";
  for (const std::string key : {"SYMLZ=0,-1,", "KSYM=0,1", "SYMLZ=1*0,1*2 UHF=.FALSE."})
    expect_refused(with_header(header + key + "/"), "2: orbitals with an angular momentum");
  for (const std::string key : {"SYMLZ=0,0,", "KSYM=2*0", "SYML=0,1 SYMLZ=0,0"})
    EXPECT_EQ(read(with_header(header + key + "/")).integrals.one(test::Spin::alpha, 0, 0), -1.25);
}

TEST_F(FcidumpFault, ComplexOrbitalsAreRecognisedByMissingIndexOrders) {
  const auto file = std::filesystem::path(CISOLVE_SOURCES) / "tests/data/h2_lz.fcidump";
  const std::string whole = test::bytes_of(file);
  const std::string header = "&FCI NORB=5,NELEC=2,MS2=0/\n";
  const std::string body = whole.substr(whole.find("&END") + 5);
  expect_refused(header + body, "50: the integrals belong to complex orbitals: (5 4|4 5)");
  // With the other order of each exchange integral, they belong to some real orbitals.
  std::string real = body;
  for (const std::string exchange : {"0.125634033599229 1 3 1 3\n", "0.125634033599229 1 4 1 4\n",
                                     "0.0235651329144533 2 3 2 3\n", "0.0235651329144533 2 4 2 4\n",
                                     "0.100925300880807 3 4 3 4\n", "0.0355639051819072 3 5 3 5\n",
                                     "0.0355639051819072 4 5 4 5\n"})
    real.insert(0, exchange);
  EXPECT_EQ(read(header + real).integrals.orbitals(), 5);
}

TEST_F(FcidumpFault, AnIndexOrderThatDiffersForComplexOrbitals) {
  const auto says = [&](const std::string& second, std::string_view words) {
    expect_refused(with_body("0.2 2 1 2 1\n" + second), words);
  };
  says("0.0 2 1 1 2\n",
       "6: an integral is 0.0, but line 5 gives it as 0.2; expected one value for "
       "integrals that are equal by exchange of indices. If the orbitals are complex");
  const auto same = test::failure_of([&] { read(with_body("0.2 2 1 2 1\n0.3 1 2 1 2\n")); });
  ASSERT_TRUE(same);
  EXPECT_EQ(same->message.find("complex"), std::string::npos) << same->message;
}

TEST_F(FcidumpFault, IntegralsOfOneSpinAlone) {
  const std::string header = "&FCI NORB=4,NELEC=2,MS2=0,UHF=.TRUE.,/\n";
  const std::string alpha = "-1 1 1 0 0\n0.7 1 1 1 1\n0.6 2 2 1 1\n0.8 2 2 2 2\n";
  expect_refused(header + alpha,
                 "5: there are non-zero alpha one-electron integrals, but no "
                 "beta ones");
  EXPECT_EQ(read(header + alpha + "-1 2 2 0 0\n").integrals.orbitals(), 2);
  expect_refused(header + "-1 1 1 0 0\n-1 2 2 0 0\n0.7 1 1 1 1\n0.6 2 2 1 1\n",
                 "5: there are non-zero alpha-alpha integrals, but no beta-beta ones");
  expect_refused(header + "-1 1 1 0 0\n-1 2 2 0 0\n0.7 1 1 1 1\n0.6 2 2 2 2\n",
                 "5: there are non-zero alpha-alpha integrals, but no alpha-beta ones");
}

TEST_F(FcidumpFault, NoOneElectronIntegralsUnlessTheModelHasNone) {
  const std::string cut = with_body("0.7 1 1 1 1\n0.6 2 2 1 1\n");
  expect_refused(cut, "6: the file has no one-electron integrals");
  expect_refused(cut + "9.5 0 0 0 0\n-0.5 1 0 0 0\n", "8: the file has no one-electron integrals");
  EXPECT_EQ(read(cut, {.has_one_electron = false}).integrals.one(ci::Spin::alpha, 0, 0), 0);
  EXPECT_EQ(read(cut + "0.0 1 1 0 0\n").integrals.one(ci::Spin::alpha, 0, 0), 0);
  const std::string spins = "&FCI NORB=4,NELEC=2,MS2=0,UHF=.TRUE.,/\n";
  expect_refused(spins + "0.7 1 1 1 1\n0.7 2 2 1 1\n0.7 2 2 2 2\n",
                 "4: the file has no one-electron");
  const auto given =
      test::failure_of([&] { read(cut + "-1.0 1 1 0 0\n", {.has_one_electron = false}); });
  ASSERT_TRUE(given);
  EXPECT_EQ(given->fault, base::ErrorKind::configuration);
  EXPECT_NE(given->message.find(":7: the file has a one-electron integral, but"), std::string::npos)
      << given->message;
}

// Two-electron integrals come first, then one-electron ones, by rows or by columns, then the core
// energy: a file cut between two lines describes another problem.
TEST_F(FcidumpFault, AFileThatWasCutWithinItsOneElectronIntegrals) {
  constexpr int n = 4;
  std::string two = "&FCI NORB=4,NELEC=4,MS2=0,\n/\n";
  for (int p = 1; p <= n; ++p)
    for (int q = 1; q <= p; ++q) two += test::dump_line(0.7 - 0.01 * q, p, p, q, q);
  std::vector<std::string> by_rows;
  std::vector<std::string> by_columns;
  for (int p = 1; p <= n; ++p)
    for (int q = 1; q <= n; ++q) {
      const std::string line = test::dump_line(p == q ? -1.5 : 0.1, p, q, 0, 0);
      if (q <= p) by_rows.push_back(line);
      if (q >= p) by_columns.push_back(line);
    }
  for (const auto& lines : {by_rows, by_columns}) {
    std::string cut = two;
    int line = 12;
    for (std::size_t k = 0; k + 1 < lines.size(); ++k) {
      cut += lines[k];
      const std::string refusal = base::concat(++line, ": the one-electron integrals end with ");
      expect_refused(cut, refusal);
      expect_refused(cut + "! a remark\n\n", base::concat(line + 1, refusal.substr(2)));
      EXPECT_EQ(read(cut + "0.0 0 0 0 0\n").integrals.core_energy(), 0);  // the remedy
    }
    const auto whole = read(cut + lines.back());  // without its core energy
    ASSERT_EQ(whole.warnings.size(), 1U);
    EXPECT_NE(whole.warnings[0].find("no core energy"), std::string::npos);
  }
}

TEST_F(FcidumpFault, ModelsWithoutDiagonalOrCoreEnergyAreComplete) {
  std::string chain = "&FCI NORB=4,NELEC=4,MS2=0,\n/\n";
  for (int p = 1; p <= 4; ++p) chain += test::dump_line(4, p, p, p, p);
  for (int p = 2; p <= 4; ++p) chain += test::dump_line(-1, p, p - 1, 0, 0);
  EXPECT_EQ(read(chain).integrals.one(ci::Spin::alpha, 1, 0), -1);
  EXPECT_EQ(read(chain + "-0.5 1 1 0 0\n").integrals.one(ci::Spin::alpha, 0, 0), -0.5);
  EXPECT_EQ(read(chain + "0.5 2 2 0 0\n").integrals.one(ci::Spin::alpha, 1, 1), 0.5);
  // An impurity in a bath, whose orbitals have no repulsion.
  const std::string bath =
      "&FCI NORB=3,NELEC=2,MS2=0,\n/\n4 1 1 1 1\n0.5 2 1 0 0\n0.5 3 1 0 0\n-2 1 1 0 0\n";
  EXPECT_EQ(read(bath).integrals.one(ci::Spin::alpha, 0, 0), -2);
}

TEST_F(FcidumpFault, AFileOfTwoSpinsThatWasCutWithinBeta) {
  std::string spins = "&FCI NORB=4,NELEC=2,MS2=0,UHF=.TRUE.,/\n";
  for (const auto& [p, q] : {std::pair(1, 1), {2, 2}, {3, 3}, {4, 4}, {1, 2}, {3, 4}, {1, 3}})
    spins += test::dump_line(0.6, p, p, q, q);
  spins += "-1.0 1 1 0 0\n-0.9 3 3 0 0\n-1.0 2 2 0 0\n";
  expect_refused(spins, "11: the beta one-electron integrals end with orbital 1 of 2");
  EXPECT_EQ(read(spins + "-0.9 4 4 0 0\n").integrals.one(ci::Spin::beta, 1, 1), -0.9);
}

TEST_F(FcidumpFault, SpinDependentFilesThatContradictThemselves) {
  const std::string blocks = "&FCI NORB=2,NELEC=2,MS2=0,IUHF=1,/\n";
  const std::string close = "0.0 0 0 0 0\n";
  const std::string rest = close + close + close + close + close;
  expect_refused(blocks + "0.5 1 1 0 0\n" + rest,
                 "2: block 1 of the file contains a one-electron integral");
  expect_refused(blocks + close + close + close + "0.5 1 1 1 1\n" + rest,
                 "5: block 4 of the file contains a two-electron integral");
  expect_refused(blocks + "0.5 1 1 1 1\n0.1 0 0 0 0\n" + rest, "3: the line that closes block 1");
  expect_refused(blocks + "0.5 1 1 1 1\n" + close + close + "0.5 1 1 0 0\n",
                 "1: IUHF=1, but the file is not divided into blocks");
  const std::string spins = "&FCI NORB=4,NELEC=2,MS2=0,UHF=.TRUE.,/\n";
  expect_refused(spins + "0.5 1 2 1 1\n", "2: an integral couples an alpha and a beta orbital");
  expect_refused(spins + "0.5 1 1 1 1\n0.5 5 1 1 1\n", "3: an orbital index exceeds NORB = 4");
  expect_refused(spins + "0.5 9 1 1 1\n", "2: an orbital index exceeds NORB = 4");
  expect_refused("&FCI NORB=3,NELEC=2,MS2=0,UHF=.TRUE.,/\n0.5 1 1 1 1\n",
                 "1: NORB = 3 is odd in a file with UHF=.TRUE.");
  expect_refused("&FCI NORB=300,NELEC=2,MS2=0,IUHF=1,/\n0.5 600 600 0 0\n", "2: orbital index 600");
}

TEST_F(FcidumpFault, OptionsThatContradictTheFile) {
  const auto file = text_file("x.fcidump", with_body(std::string(kBody)));
  for (const io::FcidumpOptions& options : {io::FcidumpOptions{.electrons = 4}, {.orbitals = 3}})
    test::expect_failure([&] { io::read_fcidump(file, options, test::kHost); },
                         base::ErrorKind::configuration, "but the configuration has");
  EXPECT_EQ(io::read_fcidump(file, {.electrons = 2, .ms2 = 0, .orbitals = 2}, test::kHost).alpha,
            1);
}

TEST_F(FcidumpFault, AProjectionOtherThanTheHeadersIsUsedWithAWarning) {
  const std::string text = with_body(std::string(kBody));
  const io::MolecularProblem problem = read(text, {.ms2 = 2});
  EXPECT_EQ(problem.alpha, 2);
  EXPECT_EQ(problem.beta, 0);
  EXPECT_THAT(
      problem.warnings,
      testing::Contains(testing::HasSubstr("problem.ms2 = 2 overrides MS2 = 0 of the file")));
  EXPECT_THAT(read(text, {.ms2 = 0}).warnings, testing::IsEmpty());
  test::expect_failure([&] { read(text, {.ms2 = 1}); }, base::ErrorKind::configuration,
                       "problem.ms2: 2 electrons with MS2 = 1");
  test::expect_failure([&] { read(text, {.ms2 = 4}); }, base::ErrorKind::configuration,
                       "problem.ms2: MS2 = 4 with 2 electrons in 2 orbitals");
}

TEST_F(FcidumpFault, FilesThatAreNotThere) {
  test::expect_failure([&] { io::read_fcidump(path("none"), {}, test::kHost); },
                       base::ErrorKind::no_input, "none");
  test::expect_failure([&] { io::read_fcidump(path("."), {}, test::kHost); },
                       base::ErrorKind::bad_input, "not a regular file");
}

/// Whatever is cut or flipped in a file, the reader returns integrals or its own error.
TEST_F(FcidumpFault, DamagedFilesAreReadOrRefused) {
  const std::string whole = with_body(std::string(kBody));
  base::RandomStream random(3);
  int refused = 0;
  const auto host = base::Backend::reference({.host_bytes = 1 << 20});
  for (int trial = 0; trial < 800; ++trial) {
    std::string text = whole.substr(0, trial < 200 ? random.below(whole.size() + 1) : whole.size());
    for (int flips = trial < 200 ? 0 : 3; flips > 0; --flips)
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    const auto failure = test::failure_of([&] { read(text, {.electrons = 2, .ms2 = 0}, host); });
    if (!failure) continue;
    ++refused;
    EXPECT_TRUE(failure->fault == base::ErrorKind::bad_input ||
                failure->fault == base::ErrorKind::configuration ||
                failure->fault == base::ErrorKind::resources)
        << failure->message;
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace cisolve

#include <gmock/gmock.h>

#include <bit>

#include "tests/io/fcidump_text.hpp"

namespace cisolve {
namespace {

using io::FcidumpOptions;
using io::MolecularProblem;
using test::Integrals;
using test::kBody;
using test::kHeader;
using test::Spin;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FcidumpRead : public test::FcidumpTest {};

TEST_F(FcidumpRead, ReadsTheValuesOfItsLines) {
  const MolecularProblem problem = plain();
  const Integrals& v = problem.integrals;
  EXPECT_EQ(problem.dialect, "restricted");
  EXPECT_EQ(problem.alpha, 1);
  EXPECT_EQ(problem.beta, 1);
  EXPECT_EQ(problem.irrep, 0);
  EXPECT_THAT(problem.warnings, IsEmpty());
  EXPECT_EQ(v.orbitals(), 2);
  EXPECT_EQ(v.core_energy(), 0.75);
  EXPECT_EQ(v.one(Spin::alpha, 0, 0), -1.25);
  EXPECT_EQ(v.one(Spin::beta, 1, 1), -0.5);
  EXPECT_EQ(v.two(Spin::alpha, 0, 0, Spin::beta, 1, 1), 0.6);
  EXPECT_EQ(v.two(Spin::alpha, 0, 1, Spin::beta, 1, 0), 0.2);
  EXPECT_EQ(v.irreps(), (std::vector<int>{0, 4}));
}

TEST_F(FcidumpRead, AcceptsEveryHeaderEnd) {
  const Integrals expected = plain().integrals;
  const std::string header(kHeader);
  const std::string body(kBody);
  const std::string one_line = "&FCI NORB=2,NELEC=2,MS2=0,ORBSYM=1,5,ISYM=1";
  for (const std::string& text :
       {header + "&END\n" + body, header + "&end\n" + body, header + "$END\n" + body,
        header + "  /  \n" + body, one_line + "/\n" + body, one_line + " &END\n" + body,
        one_line + ",/ ! and a comment\n" + body, "$FCI" + header.substr(4) + "$end\n" + body,
        "&fci norb = 2 nelec= 2 ms2 =0\norbsym\n=\n1 5 isym=1\n/\n" + body,
        "&FCI ISYM=1,\nORBSYM=1,\n\n5\nMS2=0\nNELEC=2\nNORBS=2\n&END\n" + body}) {
    SCOPED_TRACE(text);
    const MolecularProblem problem = read(text);
    test::expect_same_integrals(problem.integrals, expected);
    EXPECT_EQ(problem.integrals.irreps(), expected.irreps());
    EXPECT_THAT(problem.warnings, IsEmpty());
  }
}

TEST_F(FcidumpRead, AcceptsSymmetriesOverThousandsOfLinesAndRepeatCounts) {
  std::string long_list =
      "&FCI NORB=2,NELEC=2,ORBSYM=1" + std::string(2500, '\n') + "5, ! last\n/\n";
  EXPECT_EQ(read(long_list + std::string(kBody)).integrals.irreps(), (std::vector<int>{0, 4}));
  std::string lines = "&FCI NORB=256,NELEC=2,ORBSYM=";
  for (int p = 0; p < 256; ++p) lines += "1,\n! comment\n\n\n\n\n\n\n";
  const auto file = text_file("wide.fcidump", lines + "/\n0.5 256 256 0 0\n");
  // The integrals of 256 orbitals do not fit: the header was read and its count agreed.
  test::expect_failure(
      [&] { io::read_fcidump(file, {}, base::Backend::reference({.host_bytes = 1 << 20})); },
      base::ErrorKind::resources, "the two-electron integrals");
  const std::string repeated = "&FCI NORB=2,NELEC=2,ORBSYM=2*3,/\n";
  EXPECT_EQ(read(repeated + std::string(kBody)).integrals.irreps(), (std::vector<int>{2, 2}));
}

TEST_F(FcidumpRead, NotesTheKeysThatItIgnores) {
  const MolecularProblem problem = read(
      "&FCI NORB=2,NELEC=2,MS2=0,ORBSYM=1,5,ISYM=1,TREL=.TRUE.,OCC=1,0,1,PNTGRP='D2/h',\n"
      "SYML=0,0,\nPROPBITLEN=15\nUHF=.FALSE. IUHF=0\n/\n" +
      std::string(kBody));
  test::expect_same_integrals(problem.integrals, plain().integrals);
  EXPECT_EQ(problem.warnings.size(), 5);
  EXPECT_THAT(problem.warnings, Contains(HasSubstr("TREL")));
  EXPECT_THAT(problem.warnings, Contains(HasSubstr("PNTGRP")));
}

TEST_F(FcidumpRead, DExponentsGiveTheSameBitsAsE) {
  const std::string header = std::string(kHeader) + "/\n";
  const auto value = [&](const std::string& text) {
    return std::bit_cast<std::uint64_t>(
        read(header + text + " 1 1 1 1\n", {.has_one_electron = false})
            .integrals.two(Spin::alpha, 0, 0, Spin::alpha, 0, 0));
  };
  for (const std::string_view digits : {"1.5?+01", "0.123456789012345678?-03", "-7.1?-310", "+2?5"})
    for (const char mark : {'D', 'd', 'e'}) {
      std::string with_e(digits);
      std::string with_d(digits);
      with_e[digits.find('?')] = 'E';
      with_d[digits.find('?')] = mark;
      EXPECT_EQ(value(with_d), value(with_e)) << with_d;
    }
  EXPECT_EQ(value("1.5D+01"), std::bit_cast<std::uint64_t>(15.0));
}

TEST_F(FcidumpRead, AcceptsCommentsBlankLinesCarriageReturnsAndAByteOrderMark) {
  std::string text = "! made by hand\n" + std::string(kHeader) + "/\n! body\n\n" +
                     std::string(kBody) + "\n  ! the end\n\n";
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
  std::string remarked;
  for (const char c : text) remarked += c == '\n' ? " ! remark\n" : std::string(1, c);
  for (const std::string& variant : {text, windows, remarked})
    test::expect_same_integrals(read(variant).integrals, plain().integrals);
}

TEST_F(FcidumpRead, TheCoreEnergyMayStandAnywhereOrNowhere) {
  const std::string header = std::string(kHeader) + "/\n";
  const std::string rest = "0.7 1 1 1 1\n-1.25 1 1 0 0\n";
  const std::string energies = "-0.55 1 0 0 0\n0.67 2 0 0 0\n";
  for (const std::string& body :
       {"9.5 0 0 0 0\n" + rest + energies, rest + "9.5 0 0 0 0\n" + energies,
        energies + rest + "9.5 0 0 0 0"})
    EXPECT_EQ(read(header + body).integrals.core_energy(), 9.5);
  const MolecularProblem without = read(header + rest + energies);
  EXPECT_EQ(without.integrals.core_energy(), 0);
  EXPECT_THAT(without.warnings, Contains(HasSubstr("no core energy")));
}

TEST_F(FcidumpRead, DuplicatesThatAgreeAreFine) {
  const std::string header = std::string(kHeader) + "/\n";
  const std::string eightfold =
      "0.25 2 1 1 1\n0.25 1 2 1 1\n0.25 1 1 2 1\n0.25000000005 1 1 1 2\n0.2500001 1 1 1 2\n"
      "-1.5 2 1 0 0\n-1.5 1 2 0 0\n1 0 0 0 0\n1.0 0 0 0 0\n";
  const std::string one_step_of_d = "0.1234567D+00 2 2 1 1\n0.1234568D+00 1 1 2 2\n";
  const Integrals v = read(header + eightfold + one_step_of_d).integrals;
  EXPECT_EQ(v.two(Spin::alpha, 0, 0, Spin::alpha, 0, 1), 0.25);
  EXPECT_EQ(v.one(Spin::alpha, 0, 1), -1.5);
}

TEST_F(FcidumpRead, HeaderlessFilesTakeTheirElectronsFromTheOptions) {
  const std::string index_first =
      "1 1 1 1 0.7\n2 2 1 1 0.6\n2 1 2 1 0.2\n2 2 2 2 0.65\n1 1 0 0 -1.25\n2 2 0 0 -0.5\n"
      "0 0 0 0 0.75\n";
  const MolecularProblem inferred = read(index_first, {.electrons = 2});
  const MolecularProblem from_header = read(index_first, {.electrons = 2, .ms2 = 2, .orbitals = 2});
  const MolecularProblem value_first = read(std::string(kBody), {.electrons = 2});
  for (const MolecularProblem* problem : {&inferred, &from_header, &value_first}) {
    EXPECT_EQ(problem->dialect, "headerless");
    test::expect_same_integrals(problem->integrals, plain().integrals);
  }
  EXPECT_THAT(inferred.warnings,
              Contains(HasSubstr("the number of orbitals is taken as 2, the largest index")));
  EXPECT_THAT(from_header.warnings, IsEmpty());
  EXPECT_EQ(from_header.alpha, 2);
  EXPECT_EQ(from_header.beta, 0);
}

TEST_F(FcidumpRead, ElectronsFollowNelecAndMs2) {
  const std::string body = "0.5 1 1 0 0\n";
  const auto electrons = [&](const std::string& keys) {
    const MolecularProblem problem = read("&FCI NORB=4," + keys + "/\n" + body);
    return std::pair(problem.alpha, problem.beta);
  };
  EXPECT_EQ(electrons("NELEC=4,MS2=2"), std::pair(3, 1));
  EXPECT_EQ(electrons("NELEC=3,MS2=-1"), std::pair(1, 2));
  EXPECT_EQ(electrons("NELEC=5"), std::pair(3, 2));
  EXPECT_EQ(electrons("NELEC=8,MS2=0"), std::pair(4, 4));
  const io::FcidumpOptions default_electrons{.default_electrons = std::array{2, 0}};
  EXPECT_EQ(read("&FCI NORB=2,NELEC=1,&END\n" + std::string(kBody), default_electrons).alpha, 1);
  EXPECT_EQ(read("&FCI NORB=2,&END\n" + std::string(kBody), default_electrons).alpha, 2);
  EXPECT_EQ(read(std::string(kBody), default_electrons).alpha, 2);
}

TEST_F(FcidumpRead, AnOutlineMatchesTheProblemAndReadsNoIntegrals) {
  const std::string header = "&FCI NORB=3,NELEC=3,MS2=1,";
  const auto expect_outline = [&](const std::string& text, const FcidumpOptions& options = {}) {
    const auto outline = io::outline_fcidump(text_file("x.fcidump", text), options, test::kHost);
    const MolecularProblem problem = read(text, options);
    EXPECT_EQ(outline.orbitals, problem.integrals.orbitals());
    EXPECT_EQ(outline.alpha, problem.alpha);
    EXPECT_EQ(outline.beta, problem.beta);
    EXPECT_EQ(outline.dialect, problem.dialect);
  };
  expect_outline(header + "/\n0.5 1 1 0 0\n");
  expect_outline(header + "UHF=.TRUE./\n0.5 1 1 0 0\n0.5 6 6 0 0\n");
  expect_outline("1 1 0 0 0.5\n4 4 0 0 0.5\n", {.electrons = 5});
  const auto unread = text_file("x.fcidump", header + "/\nno integral\n");
  EXPECT_EQ(io::outline_fcidump(unread, {}, test::kHost).orbitals, 3);
  const auto bad = text_file("bad.fcidump", "&FCI NORB=3,\nNELEC=9/\n0.5 1 1 0 0\n");
  test::expect_failure([&] { io::outline_fcidump(bad, {}, test::kHost); },
                       base::ErrorKind::bad_input, bad.native() + ":2: 9 electrons in 3 orbitals");
}

}  // namespace
}  // namespace cisolve

#include "io/molecules/determinant_list.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "ci/fock/spaces/spaces.hpp"
#include "io/files/mapped_file.hpp"
#include "tests/io/hdf5_draft.hpp"

namespace cisolve {
namespace {

using ci::Determinant;
using ci::String;
using io::ListSector;
using test::Index;
using test::kHost;

class DeterminantListTest : public test::FileTest {
 protected:
  std::vector<Determinant> read(const std::string& text, const ListSector& sector) const {
    return io::read_determinants(text_file("dets.txt", text), sector, kHost);
  }
  void expect_refused(const std::string& text, const ListSector& sector,
                      std::string_view words) const {
    const auto file = text_file("bad.txt", text);
    test::expect_failure([&] { io::read_determinants(file, sector, kHost); },
                         base::ErrorKind::bad_input, file.native() + ":" + std::string(words));
  }
};

TEST_F(DeterminantListTest, BothFormsNameTheSameDeterminants) {
  const std::vector<Determinant> expected = {{String::of({0, 1}), String::of({0})},
                                             {String::of({1, 3}), String::of({2})}};
  EXPECT_EQ(read("2u00\n0udu\n", {4, 2, 1}), expected);
  EXPECT_EQ(read("# alpha beta\n0011 0001\r\n\n 1010\t0100 # last", {4, 2, 1}), expected);
}

TEST_F(DeterminantListTest, ReachesAcrossTheWordBorders) {
  std::string line(130, '0');
  for (const int p : {0, 62, 63, 64, 127, 128, 129}) line[p] = 'u';
  for (const int p : {63, 128}) line[p] = '2';
  const Determinant expected{String::of({0, 62, 63, 64, 127, 128, 129}), String::of({63, 128})};
  EXPECT_EQ(read(line, {130, 7, 2}), std::vector<Determinant>{expected});
  std::string alpha(130, '0');
  std::string beta(130, '0');
  expected.alpha.for_each([&](int p) { alpha[129 - p] = '1'; });
  expected.beta.for_each([&](int p) { beta[129 - p] = '1'; });
  EXPECT_EQ(read(alpha + " " + beta, {130, 7, 2}), std::vector<Determinant>{expected});
}

TEST_F(DeterminantListTest, RefusesWhatIsNoDeterminantOfTheSector) {
  const ListSector sector{4, 2, 1};
  expect_refused("", sector, "1: the file has no determinants");
  expect_refused("2u00\n2200\n", sector, "2: determinant 2 has 2 alpha and 2 beta electrons");
  expect_refused("2u00\n\n# x\n2u\n", sector, "4: '2u' has 2 characters; expected 4");
  expect_refused("2u0\n", sector, "1: '2u0' has 3 characters; expected 4, one for each orbital");
  expect_refused("00110001\n", sector,
                 "1: '00110001' has 8 characters; expected 4, one for each orbital of the problem; "
                 "separate alpha and beta bits by a space");
  expect_refused("0011 001\n", sector, "1: '001' has 3 characters; expected 4");
  expect_refused("2u00\n0011 0001\n", sector, "2: the line has two words, unlike the first line");
  expect_refused("0011 0001\n2u00\n", sector, "2: the line has one word, unlike the first line");
  expect_refused("2x00\n", sector, "1: 'x' at orbital 2");
  expect_refused("0021 0001\n", sector, "1: '2' at orbital 2");
  expect_refused("2u000\n", sector, "1: '2u000' has 5 characters; expected 4");
  expect_refused("0011 0001 1\n", sector, "1: unexpected '1'");
}

TEST_F(DeterminantListTest, RefusesRepeatsWithBothLines) {
  expect_refused("2u00\n2u00\n", {4, 2, 1}, "2: determinant 2 repeats determinant 1 on line 1");
  expect_refused("# two\n2u00\n20u0\n0udu\n\n20u0\n2u00\n", {4, 2, 1},
                 "6: determinant 4 repeats determinant 2 on line 3");
}

/// 1.7 million bytes, which threads read in pieces.
TEST_F(DeterminantListTest, ALongListIsReadInItsOrder) {
  const ci::Space space = ci::full_ci({11, 5, 5}, kHost);
  std::vector<Determinant> expected;
  std::string text = "# all but a third\n";
  for (Index row = space.dimension(); row-- > 0;)
    if (row % 3 != 0) expected.push_back(space.determinant(row));
  for (const Determinant& determinant : expected) {
    text += ci::to_text(determinant, 11) + "\n";
    if (determinant.alpha.has(10) && determinant.beta.has(0)) text += "\n";
  }
  ASSERT_GT(text.size(), 1'600'000u);
  EXPECT_EQ(read(text, {11, 5, 5}), expected);
  const std::string again = ci::to_text(expected[100'000], 11) + "\n";
  expect_refused(text + again, {11, 5, 5},
                 std::to_string(1 + std::ranges::count(text, '\n')) + ": determinant " +
                     std::to_string(expected.size() + 1) + " repeats determinant 100001 on line");
}

TEST_F(DeterminantListTest, APipeIsRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(io::is_hdf5(path("pipe")));
  test::expect_failure(
      [&] {
        io::read_determinants(path("pipe"), {4, 2, 1}, kHost);
      },
      base::ErrorKind::bad_input, "pipe: not a regular file");
}

/// Each alpha string occurs once, so that strings take more memory than the order of the list.
TEST_F(DeterminantListTest, AListBeyondTheMemoryIsRefusedWhileItIsRead) {
  std::string text;
  constexpr int kOrbitals = 30;
  constexpr Index kLines = 30'000;
  for (Index k = 0; k < kLines; ++k) {
    std::string alpha(kOrbitals, '0');
    for (int p = 0; p < 15; ++p) alpha[2 * p + static_cast<int>(k >> p & 1)] = '1';
    text += alpha + " " + std::string(kOrbitals, '0') + "\n";
  }
  const auto file = text_file("long.txt", text);
  for (const Index bytes : {kLines * 32, kLines * 300}) {
    const base::Backend host = base::Backend::openmp(2, {.host_bytes = bytes});
    const auto read = [&] { io::read_determinants(file, {kOrbitals, 15, 0}, host); };
    if (bytes > kLines * 100)
      EXPECT_NO_THROW(read());
    else
      test::expect_failure(read, base::ErrorKind::resources, "a part of a list of determinants");
    EXPECT_EQ(host.memory().used(), 0);
  }
}

TEST_F(DeterminantListTest, ReadsStringsOfOneSpin) {
  const auto file = text_file("alpha.txt", "0011\n1001\n");
  EXPECT_EQ(io::read_strings(file, {4, 2, 2}, kHost),
            (std::vector<String>{String::of({0, 1}), String::of({0, 3})}));
  for (const auto& [text, words] :
       {std::pair("0011\n0111\n", "2: string 2 has 3 electrons; expected 2"),
        {"0011\n1001\n0011\n", "3: string 3 repeats string 1 on line 1; expected each once"},
        {"# none\n", "1: the file has no strings; expected one per line"},
        {"0011 0011\n", "1: unexpected '0011'; expected one string per line"}}) {
    const auto bad = text_file("bad.txt", text);
    test::expect_failure(
        [&] {
          io::read_strings(bad, {4, 2, 2}, kHost);
        },
        base::ErrorKind::bad_input, bad.native() + ":" + words);
  }
}

TEST_F(DeterminantListTest, ReadsHdf5) {
  const hid_t file = H5Fcreate(path("dets.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t group = H5Gcreate2(file, "determinants", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const std::vector<Index> alpha = {INT64_MIN, 1, 3, 0};  // orbitals 64 and 65, then 1 and 2
  const std::vector<Index> beta = {1, 0, 0, 2};           // orbital 1, then 66
  test::write_attribute(group, "orbitals", 66);
  test::write_list(group, "alpha", H5T_STD_I64LE, H5T_NATIVE_INT64, alpha.data(), 4);
  test::write_list(group, "beta", H5T_STD_I64LE, H5T_NATIVE_INT64, beta.data(), 4);
  H5Gclose(group);
  H5Fclose(file);
  const std::vector<Determinant> expected = {{String::of({63, 64}), String::of({0})},
                                             {String::of({0, 1}), String::of({65})}};
  EXPECT_EQ(io::read_determinants(path("dets.h5"), {66, 2, 1}, kHost), expected);
  const auto even = [](const Determinant& determinant) {
    return std::string(determinant.beta.has(65) ? " is odd" : "");
  };
  test::expect_failure(
      [&] {
        io::read_determinants(path("dets.h5"), {66, 2, 1, even}, kHost);
      },
      base::ErrorKind::bad_input, "dets.h5: determinant 2 is odd");
  test::expect_failure(
      [&] {
        io::read_strings(path("dets.h5"), {66, 2, 1}, kHost);
      },
      base::ErrorKind::bad_input, "dets.h5: the file is HDF5; expected a text of");
}

}  // namespace
}  // namespace cisolve

#include "io/matrices/matrix_market.hpp"
#include "tests/io/support.hpp"

namespace cisolve {
namespace {

using base::ErrorKind;
using test::Index;

struct Case {
  std::string_view name;
  std::string_view text;
  std::string_view words;  // words of the message, with the line
};

class MatrixMarketFault : public test::FileTest {
 protected:
  void expect_refused(const Case& fault) const {
    SCOPED_TRACE(fault.name);
    const auto path = text_file("bad.mtx", fault.text);
    for (const int threads : {1, 3})
      test::expect_failure([&] { io::read_matrix_market(path, base::Backend::openmp(threads)); },
                           ErrorKind::bad_input, path.native() + ":" + std::string(fault.words));
  }
};

TEST_F(MatrixMarketFault, NamesTheLineOfABadHeader) {
  const Case cases[] = {
      {"empty file", "", "1: the file does not begin as a Matrix Market file"},
      {"other file", "hello\n", "1: the file does not begin as a Matrix Market file"},
      {"vector", "%%MatrixMarket vector array real general\n",
       "1: the file does not begin as a Matrix Market file"},
      {"complex", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 0\n",
       "1: complex matrices are not supported"},
      {"layout", "%%MatrixMarket matrix sparse real general\n", "1: unknown layout 'sparse'"},
      {"field", "%%MatrixMarket matrix array quad general\n", "1: unknown field 'quad'"},
      {"symmetry", "%%MatrixMarket matrix array real odd\n", "1: unknown symmetry 'odd'"},
      {"missing word", "%%MatrixMarket matrix array real\n1 1\n1\n", "1: unknown symmetry ''"},
      {"surplus word", "%%MatrixMarket matrix array real general x\n", "1: unexpected 'x'"},
      {"array pattern", "%%MatrixMarket matrix array pattern general\n", "1: an array needs"},
      {"skew pattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
       "1: a pattern cannot be skew-symmetric"},
      {"no size line", "%%MatrixMarket matrix coordinate real general\n% only\n",
       "2: the file ends before its size line"},
      {"short size line", "%%MatrixMarket matrix coordinate real general\n2 2\n1 1 1\n",
       "2: the line ends here; expected the number of entries"},
      {"long size line", "%%MatrixMarket matrix array real general\n2 2 4\n", "2: unexpected '4'"},
      {"negative size", "%%MatrixMarket matrix coordinate real general\n-2 2 1\n",
       "2: a matrix of -2 x 2 cannot be stored"},
      {"huge dimension", "%%MatrixMarket matrix coordinate real general\n2147483648 2 0\n",
       "2: a matrix of 2147483648 x 2 cannot be stored"},
      {"not square", "%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n",
       "2: a symmetric matrix must be square"},
      {"negative entries", "%%MatrixMarket matrix coordinate real general\n2 2 -1\n",
       "2: the size line announces -1 entries"},
      {"more entries than places", "%%MatrixMarket matrix coordinate real symmetric\n2 2 4\n",
       "2: the size line announces 4 entries; expected 0 to 3"},
      {"10^17 entries",
       "%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 100000000000000000\n",
       "2: the size line announces 100000000000000000 entries"},
      {"10^18 entries",
       "%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 1000000000000000000\n",
       "2: '1000000000000000000' instead of the number of entries"},
      {"reference beyond the columns",
       "%%MatrixMarket matrix coordinate real general\n% ci-solve: reference_columns 4\n3 3 0\n",
       "3: 4 reference columns of 3 columns"},
      {"reference that is no number",
       "%%MatrixMarket matrix coordinate real general\n% ci-solve: reference_columns all\n3 3 0\n",
       "2: 'all' instead of the number of reference columns"},
      {"reference said twice",
       "%%MatrixMarket matrix coordinate real general\n% ci-solve: reference_columns 1\n"
       "% ci-solve: reference_columns 1\n3 3 0\n",
       "3: a second comment sets reference_columns"},
      {"huge array", "%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n",
       "2: the size line announces 4000000000000000000 entries"},
  };
  for (const Case& fault : cases) expect_refused(fault);
}

TEST_F(MatrixMarketFault, NamesTheLineOfABadEntry) {
  const std::string general = "%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n";
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n";
  const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n";
  const std::string integer = "%%MatrixMarket matrix coordinate integer general\n3 3 2\n";
  const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n";
  const std::pair<std::string, std::string_view> cases[] = {
      {symmetric + "1 1 1\n1 2 5\n", "4: entry (1, 2) lies above the diagonal"},
      {skew + "2 1 1\n3 3 5\n",
       "4: entry (3, 3) is not below the diagonal of a skew-symmetric matrix"},
      {general + "1 1 1.0000000\n", "4: the file ends after 1 entries; expected 2"},
      {general + "1 1 1.0000000\n\n\n", "4: the file ends after 1 entries; expected 2"},
      {general + "1 1 1\n2 2 2\n% c\n3 3 3\n",
       "7: the file has 3 entries, but its size line announces 2"},
      {general + "1 1 1\n4 1 2\n", "5: row 4 is out of range; expected 1 to 3"},
      {general + "1 1 1\n1 0 2\n", "5: column 0 is out of range; expected 1 to 3"},
      {general + "-1 1 1\n1 2 2\n", "4: row -1 is out of range"},
      {general + "2147483649 1 1\n1 2 2\n", "4: row 2147483649 is out of range"},
      {general + "99999999999999999999 1 1\n1 2 2\n", "4: '99999999999999999999' instead of row"},
      {general + "1.0 1 1\n1 2 2\n", "4: '1.0' instead of row"},
      {general + "1 1 1\n1 x 2\n", "5: 'x' instead of column"},
      {general + "1 1\n1 2 2\n", "4: the line ends here; expected a value"},
      {general + "1 1 1.0000000\n1 2", "5: the line ends here; expected a value"},
      {general + "1 1 1.0000000\n1 ", "5: the line ends here; expected column"},
      {general + "1 1 1 1\n1 2 2\n", "4: unexpected '1'"},
      {general + "1 1 1\n1 2 nan\n", "5: 'nan' instead of a value"},
      {general + "1 1 -inf\n1 2 2\n", "4: '-inf' instead of"},
      {general + "1 1 1e309\n1 2 2\n", "4: '1e309' instead of"},
      {general + "1 1 1D99999999999999999999\n1 2 2\n", "4: '1D99999999999999999999' instead of"},
      {general + "1 1 1.5x\n1 2 2\n", "4: '1.5x' instead of"},
      {general + "1 1 1,5\n1 2 2\n", "4: '1,5' instead of"},
      {general + "1 1 0x10\n1 2 2\n", "4: '0x10' instead of"},
      {general + "1 1 +-1\n1 2 2\n", "4: '+-1' instead of"},
      {general + "1 1 1.5+10\n1 2 2\n", "4: '1.5+10' instead of"},
      {integer + "1 1 1.5\n1 2 2\n", "3: '1.5' instead of an integer value"},
      {integer + "1 1 9007199254740993\n1 2 2\n", "3: the integer 9007199254740993 would be"},
      {pattern + "1 1 1\n1 2\n", "3: unexpected '1'"},
      {general + "2 1 1\n2 1 2\n", "5: entry (2, 1) is already on line 4"},
      {symmetric + "3 1 1\n3 1 2\n", "4: entry (3, 1) is already on line 3"},
      {general + std::string("1 1 1\n1 2 \x1b[31m2\n"), "5: '?[31m2' instead of"},
  };
  for (const auto& [text, words] : cases) expect_refused({words, text, words});
}

TEST_F(MatrixMarketFault, NamesTheLineOfABadArrayValue) {
  const std::string general = "%%MatrixMarket matrix array real general\n2 2\n";
  const std::pair<std::string, std::string_view> cases[] = {
      {general + "1\n2\n3\n\n", "5: the file ends after 3 values; expected 4"},
      {general + "1\n2\n3\n4\n5\n", "7: the file has more than the 4"},
      {general + "1\n2 3\n4\n5\n", "4: unexpected '3'"},
      {general + "1\nx\n3\n4\n", "4: 'x' instead of a value"},
  };
  for (const auto& [text, words] : cases) expect_refused({words, text, words});
}

/// Several pieces of text with one fault in each of two of them.
TEST_F(MatrixMarketFault, ReportsTheFirstFaultOfALargeFile) {
  const Index rows = 300000;
  std::string text = "%%MatrixMarket matrix coordinate real general\n300000 300000 300000\n";
  for (Index row = 1; row <= rows; ++row)
    text += std::to_string(row) + " 1 " + (row == 123456 || row == 250000 ? "bad" : "1.25") + "\n";
  expect_refused({"value", text, "123458: 'bad' instead of a value"});
}

TEST_F(MatrixMarketFault, CountsTheLinesOfALargeFile) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n300000 300000 299999\n";
  for (Index row = 1; row <= 300000; ++row) text += std::to_string(row) + " 1 0.5\n";
  expect_refused({"one more", text,
                  "300002: the file has 300000 entries, but its size line announces 299999"});
  text.replace(text.find("299999"), 6, "300001");
  expect_refused({"one less", text, "300002: the file ends after 300000 entries; expected 300001"});
}

TEST_F(MatrixMarketFault, DistinguishesAMissingFileFromABadOne) {
  const auto host = base::Backend::openmp(1);
  test::expect_failure([&] { io::read_matrix_market(path("none.mtx"), host); }, ErrorKind::no_input,
                       "none.mtx: No such file");
  test::expect_failure([&] { io::read_matrix_market(path("."), host); }, ErrorKind::bad_input,
                       "not a regular file");
}

TEST_F(MatrixMarketFault, StaysWithinTheMemoryBudget) {
  base::Backend::Limits limits;
  limits.host_bytes = 1 << 20;
  const auto host = base::Backend::openmp(1, limits);
  const auto rows =
      text_file("rows.mtx", "%%MatrixMarket matrix coordinate real general\n2000000000 1 0\n");
  test::expect_failure([&] { io::read_matrix_market(rows, host); }, ErrorKind::resources,
                       "not enough host memory: CSR row offsets");
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n1 100000 100000\n";
  for (Index i = 1; i <= 100000; ++i) text += "1 " + std::to_string(i) + "\n";
  const auto entries = text_file("entries.mtx", text);
  test::expect_failure([&] { io::read_matrix_market(entries, host); }, ErrorKind::resources,
                       "not enough host memory: CSR");
  EXPECT_EQ(host.memory().used(), 0);
}

/// A good file is cut, or bytes are overwritten or inserted: it is read, refused with its path, or
/// refused for lack of memory, never anything else.
TEST_F(MatrixMarketFault, SurvivesMutatedFiles) {
  std::string good = "%%MatrixMarket matrix coordinate real symmetric\n% c\n9 9 12\n";
  for (Index i = 1; i <= 9; ++i) good += std::to_string(i) + " " + std::to_string(i) + " 1.5e-3\n";
  good += "2 1 -1\n5 3 7D0\n9 8 0.25\n";
  std::mt19937_64 random(11);
  base::Backend::Limits limits;
  limits.host_bytes = 1 << 24;
  const auto host = base::Backend::openmp(1, limits);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      const auto at = random() % text.size();
      if (random() % 8 == 0)
        text.resize(at + 1);
      else if (random() % 2 == 0)
        text[at] = static_cast<char>(random());
      else
        text.insert(at, 1, " \n\r0-9.eD%\0"[random() % 11]);
    }
    const auto path = text_file("mutated.mtx", text);
    const auto failure = test::failure_of([&] { io::read_matrix_market(path, host); });
    if (!failure) continue;
    ++refused;
    ASSERT_TRUE(failure->message.starts_with(path.native() + ":") ||
                failure->fault == ErrorKind::resources)
        << failure->message;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace cisolve

#include <clocale>
#include <locale>

#include "io/matrices/matrix_market.hpp"
#include "tests/io/support.hpp"
#include "tests/support/sanitizers.hpp"

namespace cisolve {
namespace {

using test::Elements;
using test::expect_same;
using test::Index;

class MatrixMarketRead : public test::FileTest {
 protected:
  sparse::Csr read(std::string_view text, int threads = 2) const {
    return io::read_matrix_market(text_file("a.mtx", text), base::Backend::openmp(threads));
  }
};

/// The oracle: streams and a map, nothing else. For files without faults.
Elements naive(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string banner;
  std::getline(file, banner);
  const bool symmetric = banner.find(" symmetric") != std::string::npos;
  const bool skew = banner.find("skew-symmetric") != std::string::npos;
  const bool pattern = banner.find("pattern") != std::string::npos;
  Elements matrix;
  Index entries = 0;
  file >> matrix.shape.rows >> matrix.shape.columns >> entries;
  for (Index i = 0; i < entries; ++i) {
    Index row = 0;
    Index column = 0;
    double value = 1;
    file >> row >> column;
    if (!pattern) file >> value;
    matrix.at[{row - 1, column - 1}] = value;
    if (symmetric || skew) matrix.at[{column - 1, row - 1}] = skew ? -value : value;
  }
  matrix.shape.symmetric = symmetric;
  return matrix;
}

/// A file above several pieces of text, its entries in random order.
std::string shuffled_file(std::string_view kind, Index rows, Index entries, unsigned seed) {
  const bool general = kind == "real general" || kind == "pattern general";
  const bool diagonal = kind != "real skew-symmetric";
  const bool pattern = kind.starts_with("pattern");
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::map<std::pair<Index, Index>, double> at;
  while (std::ssize(at) < entries) {
    auto row = static_cast<Index>(random() % static_cast<std::uint64_t>(rows));
    auto column = static_cast<Index>(random() % static_cast<std::uint64_t>(rows));
    if (!general && column > row) std::swap(row, column);
    if (diagonal || row != column) at[{row, column}] = value(random);
  }
  std::vector<std::pair<std::pair<Index, Index>, double>> list(at.begin(), at.end());
  std::shuffle(list.begin(), list.end(), random);
  std::ostringstream out;
  out.precision(17);
  out << "%%MatrixMarket matrix coordinate " << kind << '\n'
      << rows << ' ' << rows << ' ' << entries << '\n';
  for (const auto& [place, number] : list) {
    out << place.first + 1 << ' ' << place.second + 1;
    if (!pattern) out << ' ' << number;
    out << '\n';
  }
  return out.str();
}

TEST_F(MatrixMarketRead, AgreesWithTheNaiveReaderOnEveryKindAndThreadCount) {
  for (const std::string_view kind : {"real general", "real symmetric", "real skew-symmetric",
                                      "pattern general", "pattern symmetric"}) {
    const auto path =
        text_file("big.mtx", shuffled_file(kind, 3000, test::unless_sanitized(150000, 30000), 7));
    const Elements expected = naive(path);
    for (const int threads : {1, 2, 5}) {
      SCOPED_TRACE(testing::Message() << kind << ", " << threads << " threads");
      expect_same(io::read_matrix_market(path, base::Backend::openmp(threads)), expected);
    }
  }
}

TEST_F(MatrixMarketRead, GivesTheSameBitsWhateverTheThreadCount) {
  const auto path = text_file("big.mtx", shuffled_file("real symmetric", 500, 60000, 3));
  const auto one = io::read_matrix_market(path, base::Backend::openmp(1));
  const auto many = io::read_matrix_market(path, base::Backend::openmp(4));
  EXPECT_TRUE(std::ranges::equal(one.offsets.span(), many.offsets.span()));
  EXPECT_TRUE(std::ranges::equal(one.columns.span(), many.columns.span()));
  EXPECT_TRUE(std::ranges::equal(one.values.span(), many.values.span()));
}

constexpr std::string_view kPlain =
    "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1.5\n2 3 -250\n1 2 0.125\n";

TEST_F(MatrixMarketRead, ReadsEveryDialectAsTheSameMatrix) {
  const Elements expected{{2, 3, 0, false}, {{{0, 0}, 1.5}, {{0, 1}, 0.125}, {{1, 2}, -250.0}}};
  const std::pair<std::string_view, std::string_view> dialects[] = {
      {"plain", kPlain},
      {"upper case",
       "%%MATRIXMARKET MATRIX COORDINATE REAL GENERAL\n2 3 3\n1 1 1.5\n2 3 -250\n"
       "1 2 0.125\n"},
      {"comments and blank lines",
       "%%MatrixMarket matrix coordinate real general\n% a\n\n%b\n2 3 3\n\n1 1 1.5\n  % c\n"
       "2 3 -250\n\n1 2 0.125\n\n\n"},
      {"CRLF",
       "%%MatrixMarket matrix coordinate real general\r\n2 3 3\r\n1 1 1.5\r\n2 3 -250\r\n"
       "1 2 0.125\r\n"},
      {"byte order mark",
       "\xEF\xBB\xBF%%MatrixMarket matrix coordinate real general\n2 3 3\n"
       "1 1 1.5\n2 3 -250\n1 2 0.125\n"},
      {"no final newline",
       "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1.5\n"
       "2 3 -250\n1 2 0.125"},
      {"blanks and tabs",
       "%%MatrixMarket\tmatrix  coordinate real general  \n 2\t3  3 \n\t1 1 1.5\n"
       "2   3\t-250 \n1 2 0.125\n"},
      {"D exponents and signs",
       "%%MatrixMarket matrix coordinate real general\n2 3 3\n"
       "1 1 +1.5D+00\n+2 3 -2.5d2\n1 2 1.25E-1\n"},
      {"array", "%%MatrixMarket matrix array real general\n2 3\n1.5\n0\n0.125\n0\n0\n-250\n"},
  };
  for (const auto& [name, text] : dialects) {
    SCOPED_TRACE(name);
    expect_same(read(text), expected);
  }
}

TEST_F(MatrixMarketRead, ReadsIntegersPatternsAndDenseTriangles) {
  expect_same(read("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 -7\n2 1 3\n"),
              {{2, 2, 0, true}, {{{0, 0}, -7.0}, {{0, 1}, 3.0}, {{1, 0}, 3.0}}});
  expect_same(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"),
              {{2, 2, 0, true}, {{{0, 1}, 1.0}, {{1, 0}, 1.0}}});
  expect_same(read("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n0\n4\n"),
              {{2, 2, 0, true}, {{{0, 0}, 1.0}, {{1, 1}, 4.0}}});
  expect_same(read("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"),
              {{3, 3, 0, false},
               {{{1, 0}, 1.0},
                {{0, 1}, -1.0},
                {{2, 0}, 2.0},
                {{0, 2}, -2.0},
                {{2, 1}, 3.0},
                {{1, 2}, -3.0}}});
  expect_same(read("%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n2 1 3\n"),
              {{2, 2, 0, true}, {{{0, 1}, 3.0}, {{1, 0}, 3.0}}});
}

TEST_F(MatrixMarketRead, KeepsExplicitZerosAndEmptyMatrices) {
  expect_same(read("%%MatrixMarket matrix coordinate real general\n3 3 1\n3 1 0\n"),
              {{3, 3, 0, false}, {{{2, 0}, 0.0}}});
  expect_same(read("%%MatrixMarket matrix coordinate real symmetric\n4 4 0\n"),
              {{4, 4, 0, true}, {}});
  expect_same(read("%%MatrixMarket matrix coordinate real general\n0 0 0\n"),
              {{0, 0, 0, false}, {}});
  expect_same(read("%%MatrixMarket matrix array real general\n0 5\n"), {{0, 5, 0, false}, {}});
}

TEST_F(MatrixMarketRead, RoundsCorrectlyAtTheEdgesOfDoubles) {
  const auto matrix = read(
      "%%MatrixMarket matrix coordinate real general\n1 7 7\n1 1 1.7976931348623157e308\n"
      "1 2 4.9406564584124654e-324\n1 3 1e-400\n1 4 -1D-4000\n"
      "1 5 0.1000000000000000055511151231257827021181583404541015625\n1 6 .5\n1 7 5.\n");
  EXPECT_EQ(matrix.values[0], std::numeric_limits<double>::max());
  EXPECT_EQ(matrix.values[1], std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(matrix.values[2], 0.0);
  EXPECT_EQ(matrix.values[3], 0.0);
  EXPECT_EQ(matrix.values[4], 0.1);
  EXPECT_EQ(matrix.values[5], 0.5);
  EXPECT_EQ(matrix.values[6], 5.0);
}

TEST_F(MatrixMarketRead, DistinguishesUnderflowFromOverflowOfHugeExponents) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 ";
  EXPECT_EQ(read(head + "1e-99999999999999999999\n").values[0], 0.0);
  EXPECT_EQ(read(head + "-0.5d-9223372036854775808\n").values[0], 0.0);
  const auto failure = test::failure_of([&] { read(head + "1e+99999999999999999999\n"); });
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->message.find("below 1.8e308"), std::string::npos) << failure->message;
}

TEST_F(MatrixMarketRead, IgnoresTheLocale) {
  struct CommaForPoint : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaForPoint));
  const std::string c_before = std::setlocale(LC_ALL, nullptr);
  const bool german = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  const auto matrix = read(kPlain);
  const auto failure = test::failure_of(
      [&] { read("%%MatrixMarket matrix coordinate real general\n9 12345 1\n1 12346 1\n"); });
  std::setlocale(LC_ALL, c_before.c_str());
  std::locale::global(before);
  RecordProperty("de_DE", german ? "tested" : "not installed; C++ locale only");
  EXPECT_EQ(matrix.values[0], 1.5);
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->message.find("12346"), std::string::npos) << failure->message;
}

TEST_F(MatrixMarketRead, ReadsTheHeaderAlone) {
  const auto info = io::matrix_market_info(text_file("a.mtx", kPlain));
  EXPECT_EQ(info.rows, 2);
  EXPECT_EQ(info.columns, 3);
  EXPECT_EQ(info.entries, 3);
  EXPECT_EQ(info.layout, io::MatrixMarketLayout::coordinate);
  EXPECT_EQ(info.field, io::MatrixMarketField::real);
  EXPECT_EQ(info.symmetry, io::MatrixMarketSymmetry::general);
}

}  // namespace
}  // namespace cisolve

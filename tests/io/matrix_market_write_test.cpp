#include "io/files/output_file.hpp"
#include "io/matrices/matrix_market.hpp"
#include "tests/io/support.hpp"

namespace cisolve {
namespace {

using base::ErrorKind;
using test::Elements;
using test::expect_same;
using test::Index;

class MatrixMarketWrite : public test::FileTest {
 protected:
  void expect_round_trip(const Elements& matrix) const {
    for (const int threads : {1, 3}) {
      const auto host = base::Backend::openmp(threads);
      const auto file = path("out.mtx");
      io::write_matrix_market(file, test::ElementRows(matrix), true, host);
      expect_same(io::read_matrix_market(file, host), matrix);
    }
  }
};

TEST_F(MatrixMarketWrite, ComesBackBitForBit) {
  for (const auto& [name, matrix] : test::awkward_matrices()) {
    SCOPED_TRACE(name);
    expect_round_trip(matrix);
  }
  expect_round_trip(test::symmetric_elements(700, 40, 5));
  expect_round_trip({{3, 3, 0, true}, {}});
}

TEST_F(MatrixMarketWrite, ComesBackFromValuesThatAreHardToPrint) {
  Elements matrix{{1, 6, 0, false}, {}};
  Index column = 0;
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 123456789012.0})
    matrix.at[{0, column++}] = value;
  expect_round_trip(matrix);
}

TEST_F(MatrixMarketWrite, WritesTheLowerTriangleOfASymmetricMatrix) {
  const Elements matrix{{2, 2, 0, true},
                        {{{0, 0}, 1.5}, {{0, 1}, -2.0}, {{1, 0}, -2.0}, {{1, 1}, 0.1}}};
  const auto file = path("s.mtx");
  io::write_matrix_market(file, test::ElementRows(matrix), false, base::Backend::openmp(1));
  std::istringstream lines(test::bytes_of(file));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "%%MatrixMarket matrix coordinate real symmetric");
  std::getline(lines, line);
  EXPECT_EQ(line.substr(0, line.find_last_not_of(' ') + 1), "2 2 3");
  std::string rest(std::istreambuf_iterator<char>(lines), {});
  EXPECT_EQ(rest, "1 1 1.5\n2 1 -2\n2 2 0.1\n");
}

TEST_F(MatrixMarketWrite, CarriesTheReferenceRegionAsAComment) {
  const Elements matrix{{2, 3, 2, false}, {{{0, 0}, 1.0}, {{1, 2}, 2.0}}};
  const auto file = path("r.mtx");
  const auto host = base::Backend::openmp(1);
  io::write_matrix_market(file, test::ElementRows(matrix), false, host);
  EXPECT_NE(test::bytes_of(file).find("general\n% ci-solve: reference_columns 2\n2 3 2"),
            std::string::npos);
  EXPECT_EQ(io::read_matrix_market(file, host).shape.reference_columns, 2);
  EXPECT_EQ(io::matrix_market_info(file).reference_columns, 2);
}

TEST_F(MatrixMarketWrite, ReplacesAFileOnlyWhenAllowed) {
  const Elements matrix{{1, 1, 0, false}, {{{0, 0}, 1.0}}};
  const auto host = base::Backend::openmp(1);
  const auto file = text_file("there.mtx", "precious");
  test::expect_failure(
      [&] { io::write_matrix_market(file, test::ElementRows(matrix), false, host); },
      ErrorKind::cannot_write, "the file exists");
  EXPECT_EQ(test::bytes_of(file), "precious");
  EXPECT_EQ(files(), 1);
  io::write_matrix_market(file, test::ElementRows(matrix), true, host);
  expect_same(io::read_matrix_market(file, host), matrix);
  EXPECT_EQ(files(), 1);
}

TEST_F(MatrixMarketWrite, DoesNotReplaceAFileCreatedMeanwhile) {
  const auto file = path("meanwhile.txt");
  io::OutputFile ours(file, false);
  ours.append("ours");
  text_file("meanwhile.txt", "precious");
  test::expect_failure([&] { ours.commit(); }, ErrorKind::cannot_write, "the file exists");
  EXPECT_EQ(test::bytes_of(file), "precious");
}

/// A source that fails half-way.
class FailingRows final : public sparse::RowSource {
 public:
  sparse::MatrixShape shape() const override { return {100000, 10, 0, false}; }
  void count(Index, std::span<base::Column> lengths) const override {
    std::ranges::fill(lengths, 1);
  }
  void fill(Index first, Index, std::span<base::Column> columns,
            std::span<double> values) const override {
    if (first > 50000) base::fail(ErrorKind::internal, "half-way");
    std::ranges::fill(columns, 0);
    std::ranges::fill(values, 1);
  }
};

TEST_F(MatrixMarketWrite, LeavesNothingBehindWhenItFails) {
  const auto file = text_file("there.mtx", "precious");
  test::expect_failure(
      [&] { io::write_matrix_market(file, FailingRows(), true, base::Backend::openmp(2)); },
      ErrorKind::internal, "half-way");
  EXPECT_EQ(test::bytes_of(file), "precious");
  EXPECT_EQ(files(), 1);
  test::expect_failure(
      [&] {
        io::write_matrix_market(path("no/such/folder.mtx"), FailingRows(), true,
                                base::Backend::openmp(2));
      },
      ErrorKind::cannot_write, "No such file or directory");
}

}  // namespace
}  // namespace cisolve

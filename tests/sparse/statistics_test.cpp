#include "sparse/rows/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <locale>
#include <random>
#include <sstream>
#include <vector>

#include "sparse/formats/csr.hpp"

namespace cisolve::sparse {
namespace {

using base::Backend;

Csr csr(Index rows, Index columns, Index reference_columns, const std::vector<double>& dense) {
  std::vector<Index> offsets{0};
  std::vector<Column> column;
  std::vector<double> value;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j)
      if (const double a = dense[i * columns + j]; a != 0) {
        column.push_back(static_cast<Column>(j));
        value.push_back(a);
      }
    offsets.push_back(std::ssize(column));
  }
  const Backend host = Backend::reference();
  return {{rows, columns, reference_columns, false},
          base::Array<Index>::copy_of(offsets, host, "offsets"),
          base::Array<Column>::copy_of(column, host, "columns"),
          base::Array<double>::copy_of(value, host, "values")};
}

Csr by_hand() {
  return csr(4, 5, 2, {1, 2, 0, 0, 0,    //
                       0, 0, 0, 0, 0,    //
                       3, 0, 4, 5, 6,    //
                       0, 7, 0, 8, 9});  // 2, 0, 4 and 3 non-zeros; mean 9/4
}

TEST(Statistics, OfASmallMatrixEqualCountsByHand) {
  const Csr matrix = by_hand();
  const Statistics s = describe(CsrRows(matrix), Backend::openmp());
  EXPECT_EQ(s.whole.columns, 5);
  EXPECT_EQ(s.whole.nonzeros, 9);
  EXPECT_EQ(s.whole.shortest_row, 0);
  EXPECT_EQ(s.whole.longest_row, 4);
  EXPECT_EQ(s.longest_row_index, 2);
  EXPECT_DOUBLE_EQ(s.whole.mean_row, 2.25);
  EXPECT_DOUBLE_EQ(s.whole.sparsity, 11.0 / 20);
  EXPECT_EQ(s.reference.columns, 2);
  EXPECT_EQ(s.reference.nonzeros, 4);
  EXPECT_EQ(s.reference.longest_row, 2);
  EXPECT_DOUBLE_EQ(s.reference.sparsity, 0.5);
  EXPECT_EQ(s.expansion.columns, 3);
  EXPECT_EQ(s.expansion.nonzeros, 5);
  EXPECT_EQ(s.expansion.longest_row, 3);
  EXPECT_DOUBLE_EQ(s.expansion.sparsity, 7.0 / 12);
  EXPECT_TRUE(std::ranges::equal(s.reference_lengths.span(), std::vector<Column>{2, 0, 1, 1}));
  EXPECT_TRUE(std::ranges::equal(s.expansion_lengths.span(), std::vector<Column>{0, 0, 3, 2}));
  EXPECT_DOUBLE_EQ(s.average_deviation, (0.25 + 2.25 + 1.75 + 0.75) / 4);
  EXPECT_DOUBLE_EQ(s.average_deviation_percent, 100 * 1.25 / 2.25);
}

TEST(Statistics, OfARandomMatrixEqualANaiveCount) {
  constexpr Index rows = 701;
  constexpr Index columns = 233;
  constexpr Index border = 50;
  std::mt19937_64 random(5);
  std::bernoulli_distribution present(0.1);
  std::vector<double> dense(rows * columns);
  for (double& a : dense) a = present(random) ? 1 : 0;
  const Csr matrix = csr(rows, columns, border, dense);
  const Statistics s = describe(CsrRows(matrix), Backend::openmp(3));

  Index total = 0;
  Index in_reference = 0;
  Index longest = -1;
  Index longest_index = -1;
  Index shortest = columns;
  std::vector<Index> lengths;
  for (Index i = 0; i < rows; ++i) {
    Index left = 0;
    Index right = 0;
    for (Index j = 0; j < columns; ++j)
      if (dense[i * columns + j] != 0) ++(j < border ? left : right);
    EXPECT_EQ(s.reference_lengths[i], left);
    EXPECT_EQ(s.expansion_lengths[i], right);
    in_reference += left;
    lengths.push_back(left + right);
    total += left + right;
    shortest = std::min(shortest, left + right);
    if (left + right > longest) {
      longest = left + right;
      longest_index = i;
    }
  }
  const double mean = static_cast<double>(total) / rows;
  double deviation = 0;
  for (const Index length : lengths)
    deviation += std::abs(static_cast<double>(length) - mean) / rows;
  EXPECT_EQ(s.whole.nonzeros, total);
  EXPECT_EQ(s.reference.nonzeros, in_reference);
  EXPECT_EQ(s.expansion.nonzeros, total - in_reference);
  EXPECT_EQ(s.whole.longest_row, longest);
  EXPECT_EQ(s.longest_row_index, longest_index);
  EXPECT_EQ(s.whole.shortest_row, shortest);
  EXPECT_NEAR(s.whole.mean_row, mean, 1e-12);
  EXPECT_NEAR(s.average_deviation, deviation, 1e-12);
  EXPECT_NEAR(s.average_deviation_percent, 100 * deviation / mean, 1e-12);
}

TEST(Statistics, OfEmptyRegionsAndMatricesAreFinite) {
  const Csr without_reference = csr(2, 3, 0, {1, 0, 0, 0, 0, 0});
  const Statistics expansion_only = describe(CsrRows(without_reference), Backend::reference());
  EXPECT_EQ(expansion_only.reference.sparsity, 0);
  EXPECT_DOUBLE_EQ(expansion_only.expansion.sparsity, 5.0 / 6);

  const Csr zero = csr(2, 2, 1, {0, 0, 0, 0});
  const Statistics nothing = describe(CsrRows(zero), Backend::reference());
  EXPECT_EQ(nothing.whole.sparsity, 1);
  EXPECT_EQ(nothing.average_deviation_percent, 0);
  EXPECT_EQ(nothing.longest_row_index, 0);

  const Csr without_rows = csr(0, 3, 1, {});
  const Statistics empty = describe(CsrRows(without_rows), Backend::reference());
  EXPECT_EQ(empty.longest_row_index, -1);
  EXPECT_EQ(empty.whole.columns, 3);
  EXPECT_EQ(empty.average_deviation, 0);
}

TEST(Statistics, AreWrittenAsATableWithRowsFromOneInAnyLocale) {
  struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  std::ostringstream out;
  out.imbue(std::locale(std::locale::classic(), new Commas));
  const Csr matrix = by_hand();
  write(out, describe(CsrRows(matrix), Backend::reference()));
  EXPECT_EQ(out.str(),
            "4 x 5, general\n"
            "                                   reference       expansion           whole\n"
            "columns                                    2               3               5\n"
            "non-zeros                                  4               5               9\n"
            "sparsity                            0.500000        0.583333        0.550000\n"
            "non-zeros per row, mean                 1.00            1.25            2.25\n"
            "non-zeros per row, least                   0               0               0\n"
            "non-zeros per row, most                    2               3               4\n"
            "longest row: 4 non-zeros, in row 3\n"
            "average deviation of the row length: 1.25, 55.56 % of the mean\n");
}

}  // namespace
}  // namespace cisolve::sparse

#include "sparse/formats/coded_sliced.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/multivector.hpp"
#include "base/text.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/matrix.hpp"
#include "sparse/stored/plan.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/vectors.hpp"

// Slices with coded values: lossless, or not coded at all.
namespace cisolve::sparse {
namespace {

using base::MultiVector;
using test::ElementRows;
using test::Elements;

const base::Backend kSlicedHost = base::Backend::openmp(2);
const FormatOptions kCoded{.format = "sell", .values = ValueEncoding::coded};

/// One sparsity pattern with `few` values off the diagonal and, on it, few values or a different
/// one in each row.
Elements few_valued(Elements matrix, Index few, bool few_on_diagonal) {
  Index number = 0;
  for (auto& [place, value] : matrix.at) {
    ++number;
    const bool own = place.first == place.second && !few_on_diagonal;
    const Index chosen = own ? number : number * 31 % few;
    value = (chosen % 2 == 0 ? -0.1 : 0.3) * static_cast<double>(chosen + 1) + (own ? 1e4 : 0);
  }
  return matrix;
}

/// A row with these off-diagonal values, and a second row with one on the diagonal.
Elements listed(const std::vector<double>& values) {
  const Index columns = std::ssize(values) + 2;
  Elements matrix{{2, columns, 0, false}, {}};
  for (Index k = 0; k + 2 < columns; ++k) matrix.at[{0, k + 2}] = values[k];
  matrix.at[{1, 1}] = values.front();
  return matrix;
}

std::vector<double> distinct(int count) {
  std::vector<double> values;
  for (int k = 0; k < count; ++k) values.push_back(k - 7.25);
  return values;
}

/// All matrices on one backend, whose stream keeps their work in order.
std::unique_ptr<SparseMatrix> built(const Elements& matrix, const FormatOptions& options = kCoded) {
  static const base::Backend backend = test::backend_under_test();
  return build_matrix(ElementRows(matrix), options, backend);
}

void expect_same_bits(const MultiVector& found, const MultiVector& expected) {
  const MultiVector a = found.to(base::Backend::reference());
  const MultiVector b = expected.to(base::Backend::reference());
  for (int j = 0; j < a.columns(); ++j)
    for (Index row = 0; row < a.rows(); ++row)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(a(row, j)), std::bit_cast<std::uint64_t>(b(row, j)))
          << "row " << row << ", vector " << j;
}

/// Compares y = alpha A x + beta y and the diagonal of both matrices.
void expect_same_products(const SparseMatrix& found, const SparseMatrix& expected, int width) {
  const base::Backend& backend = found.backend();
  const MatrixShape& shape = found.shape();
  const MultiVector x = test::random_vectors(shape.columns, width, 5).to(backend);
  const MultiVector old = test::random_vectors(shape.rows, width, 6);
  for (const double beta : {0.0, -0.5}) {
    MultiVector y = old.to(backend);
    MultiVector z = old.to(backend);
    found.multiply(1.5, x.block(), beta, y.block());
    expected.multiply(1.5, x.block(), beta, z.block());
    expect_same_bits(y, z);
  }
  if (shape.rows != shape.columns) return;
  MultiVector d(backend, shape.rows, 1);
  MultiVector e(backend, shape.rows, 1);
  ASSERT_TRUE(found.diagonal(d.block()));
  ASSERT_TRUE(expected.diagonal(e.block()));
  expect_same_bits(d, e);
}

class CodedSlices : public test::BackendTest {};

TEST_F(CodedSlices, ProductsEqualThoseOfPlainSlicesToTheBit) {
  for (const auto& [name, matrix] : test::awkward_matrices()) {
    if (name == "one huge row") continue;
    for (const bool few_on_diagonal : {true, false})
      for (const Index height : {1, 32, 33}) {
        SCOPED_TRACE(base::concat(name, ", slices of ", height, few_on_diagonal ? "" : ", own"));
        const Elements few = few_valued(matrix, 100, few_on_diagonal);
        const auto coded =
            built(few, {.format = "sell", .slice_height = height, .values = ValueEncoding::coded});
        const auto plain = built(few, {.format = "sell", .slice_height = height});
        ASSERT_EQ(coded->values(), ValueEncoding::coded);
        EXPECT_EQ(coded->nonzeros(), plain->nonzeros());
        EXPECT_EQ(coded->memory().padding, plain->memory().padding);
        for (const int width : {1, 3, 4}) expect_same_products(*coded, *plain, width);
      }
  }
}

TEST_F(CodedSlices, TakeBlocksOfUpToSeventeenVectors) {
  std::vector<Index> lengths(2000);
  for (Index i = 0; i < 2000; ++i) lengths[i] = (i * 31) % 90;
  for (const bool few_on_diagonal : {true, false}) {
    const Elements few = few_valued(test::random_elements(lengths, 2000, 8), 255, few_on_diagonal);
    const auto coded = built(few);
    const auto plain = built(few, {.format = "sell"});
    for (int width = 1; width <= 17; ++width) expect_same_products(*coded, *plain, width);
  }
}

TEST_F(CodedSlices, HoldAtMost256Values) {
  for (const int count : {1, 255, 256}) {
    const auto coded = built(listed(distinct(count)));
    ASSERT_EQ(coded->values(), ValueEncoding::coded) << count;
    expect_same_products(*coded, *built(listed(distinct(count)), {.format = "sell"}), 2);
  }
  const auto refused = built(listed(distinct(257)));
  EXPECT_EQ(refused->values(), ValueEncoding::plain);
  EXPECT_EQ(refused->nonzeros(), 258);
  expect_same_products(*refused, *built(listed(distinct(257)), {.format = "sell"}), 2);
}

// A code for "the row's own value" leaves space for one value less.
TEST_F(CodedSlices, CodeTheDiagonalSeparatelyIfItHasTooManyValues) {
  const auto with_diagonal = [](int count, double on_diagonal) {
    Elements matrix = listed(distinct(count));
    matrix.at[{1, 1}] = on_diagonal;
    return matrix;
  };
  EXPECT_EQ(built(with_diagonal(255, 0.125))->values(), ValueEncoding::coded);
  EXPECT_EQ(built(with_diagonal(256, 0.125))->values(), ValueEncoding::plain);
  EXPECT_EQ(built(with_diagonal(256, -7.25))->values(), ValueEncoding::coded);

  Elements many = few_valued(test::random_elements(std::vector<Index>(400, 20), 400, 3), 255, true);
  for (Index i = 0; i < 400; ++i) many.at[{i, i}] = 1e-3 * static_cast<double>(i);
  const auto coded = built(many);
  ASSERT_EQ(coded->values(), ValueEncoding::coded);
  expect_same_products(*coded, *built(many, {.format = "sell"}), 1);
}

TEST_F(CodedSlices, DescribeThemselves) {
  const Elements few = few_valued(test::random_elements({3, 0, 5, 7}, 9, 3), 4, true);
  EXPECT_EQ(built(few)->format(), "sell");
  EXPECT_EQ(built(few)->description().format, "sell, coded values");
  EXPECT_EQ(built(listed(distinct(257)))->description().format, "sell");
  EXPECT_EQ(built(few, {.format = "sell"})->description().format, "sell");
}

TEST_F(CodedSlices, HoldTheReportedBytesAndNoMoreThanPlanned) {
  const base::Backend backend = test::backend_under_test();
  Elements places{{333, 333, 0, false}, {}};
  for (Index i = 0; i < 333; ++i)
    for (Index k = 0; k < 12; ++k) places.at[{i, (i + 5 * k) % 333}] = 1;
  for (const bool few_on_diagonal : {true, false}) {
    const ElementRows rows(few_valued(places, 5, few_on_diagonal));
    const auto lengths = row_lengths(rows, backend.host());
    const MemoryUse plan = plan_format(rows, lengths.span(), kCoded, backend).memory;
    const Index before = backend.memory().used();
    const auto coded = build_matrix(rows, kCoded, backend);
    const MemoryUse found = coded->memory();
    EXPECT_EQ(backend.memory().used() - before, found.held);
    const Index diagonal = few_on_diagonal ? 0 : 333 * 8;
    EXPECT_EQ(found.held, 352 * 12 * 5 + (11 + 1) * 8 + 5 * 8 + diagonal);
    EXPECT_EQ(found.by_formula, found.held - (11 + 1) * 4);
    EXPECT_EQ(plan.held, found.held + (256 - 5) * 8 + (few_on_diagonal ? 333 * 8 : 0));
    EXPECT_EQ(plan.padding, found.padding);
  }
}

/// The decoded values of a matrix by position, as bits.
std::map<std::pair<Index, Index>, std::uint64_t> decoded(const CodedSliced& matrix) {
  std::map<std::pair<Index, Index>, std::uint64_t> found;
  for (Index row = 0; row < matrix.shape.rows; ++row)
    matrix.view().visit(row, 0, 1, [&](Index column, double value) {
      found[{row, column}] = std::bit_cast<std::uint64_t>(value);
    });
  return found;
}

TEST(CodedSlicesOfTheHost, KeepEveryBit) {
  using Limits = std::numeric_limits<double>;
  const Elements matrix =
      listed({0.0, -0.0, Limits::denorm_min(), -Limits::infinity(), Limits::quiet_NaN(),
              std::nextafter(1.0, 2.0), 1.0, -Limits::quiet_NaN(), Limits::max()});
  const auto coded = build_coded_sliced(ElementRows(matrix), {.format = "sell"}, kSlicedHost);
  ASSERT_TRUE(coded);
  EXPECT_EQ(coded->table.size(), 9);
  const auto found = decoded(*coded);
  ASSERT_EQ(found.size(), matrix.at.size());
  for (const auto& [place, value] : matrix.at)
    EXPECT_EQ(found.at(place), std::bit_cast<std::uint64_t>(value)) << value;
  // A NaN with the bit pattern that marks a free slot.
  const double taken = std::bit_cast<double>(~std::uint64_t{0});
  EXPECT_FALSE(
      build_coded_sliced(ElementRows(listed({1, taken})), {.format = "sell"}, kSlicedHost));
}

TEST(CodedSlicesOfTheHost, AreTheSameWithAnyThreads) {
  const Elements matrix =
      few_valued(test::random_elements(std::vector<Index>(3000, 9), 3000, 3), 200, true);
  const auto one = build_coded_sliced(ElementRows(matrix), kCoded, base::Backend::openmp(1));
  const auto four = build_coded_sliced(ElementRows(matrix), kCoded, base::Backend::openmp(4));
  ASSERT_TRUE(one && four);
  EXPECT_TRUE(std::ranges::equal(one->table.span(), four->table.span()));
  EXPECT_TRUE(std::ranges::is_sorted(one->table.span()));
  EXPECT_TRUE(std::ranges::equal(one->codes.span(), four->codes.span()));
  EXPECT_TRUE(std::ranges::equal(one->columns.span(), four->columns.span()));
}

TEST(CodedSlicesOfTheHost, ReadNoMoreRowsOnceThereAreTooManyValues) {
  class Counted final : public RowSource {
   public:
    MatrixShape shape() const override { return {100'000, 10, 0, false}; }
    void count(Index, std::span<Column> lengths) const override { std::ranges::fill(lengths, 3); }
    void fill(Index first, Index last, std::span<Column> columns,
              std::span<double> values) const override {
      rows_read += last - first;
      for (Index k = 0; k < std::ssize(values); ++k) {
        columns[k] = static_cast<Column>(7 + k % 3);
        values[k] = static_cast<double>(3 * first + k);
      }
    }
    mutable std::atomic<Index> rows_read = 0;
  };
  const Counted rows;
  EXPECT_FALSE(build_coded_sliced(rows, kCoded, kSlicedHost));
  EXPECT_LE(rows.rows_read, 4 * rows.grain());
}

TEST(CodedSlicesOfTheHost, AreWrittenInFull) {
  Elements matrix{{3, 3, 0, false}, {{{0, 0}, 2}, {{0, 2}, -1}, {{2, 0}, -1}, {{2, 2}, 0.5}}};
  std::ostringstream out;
  build_matrix(ElementRows(matrix),
               {.format = "sell", .slice_height = 2, .values = ValueEncoding::coded}, kSlicedHost)
      ->write_components(out);
  EXPECT_EQ(out.str(),
            "Code 1 =\n  [2 0]\n  [0 0]\nColumn 1 =\n  [0 2]\n  [-1 -1]\n"
            "Code 2 =\n  [0 1]\nColumn 2 =\n  [0 2]\nValues = -1, 0.5, 2\n");
  matrix = listed(distinct(255));
  matrix.at[{0, 0}] = 0.25;
  matrix.at[{1, 1}] = 0.125;
  out.str("");
  build_coded_sliced(ElementRows(matrix), kCoded, kSlicedHost)->write_components(out);
  EXPECT_NE(out.str().find("\nDiagonal = 0.25, 0.125\n"), std::string::npos);
}

}  // namespace
}  // namespace cisolve::sparse

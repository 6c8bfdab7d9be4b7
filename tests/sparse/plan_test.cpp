#include "sparse/stored/plan.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <span>

#include "sparse/formats/csb.hpp"
#include "sparse/generate/generator.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/rows/forwarded_rows.hpp"
#include "sparse/stored/formats.hpp"
#include "tests/support/diagonals.hpp"

namespace cisolve::sparse {
namespace {

// The plan counts from row lengths; the formats count their actual arrays.
void expect_plan_is_what_is_built(const RowSource& rows, const FormatOptions& options) {
  const base::Backend host = base::Backend::openmp(2);
  const auto lengths = row_lengths(rows, host);
  const auto plans = plan_formats(rows, lengths.span(), options, host);
  ASSERT_EQ(plans.size(), format_names().size());
  for (const PlannedFormat& plan : plans) {
    FormatOptions given = options;
    given.format = plan.options.format;
    if (given.format == "tiled") continue;  // below
    if (given.format != options.format) given.block_size = kAutomatic;
    const auto built = build_matrix(rows, given, host);
    EXPECT_EQ(plan.memory.by_formula, built->memory().by_formula) << given.format;
    EXPECT_EQ(plan.memory.held, built->memory().held) << given.format;
    EXPECT_EQ(plan.memory.padding, built->memory().padding) << given.format;
    if (given.format == "hybrid") {
      EXPECT_EQ(plan.options.boundary, built->boundary());
    }
  }
}

TEST(Plan, EqualsTheBytesHeldByFormats) {
  const base::Backend host = base::Backend::openmp(2);
  for (const bool symmetric : {false, true})
    for (const Index rows : {1, 31, 333, 1000}) {
      const GeneratedRows matrix({.rows = rows,
                                  .reference_per_row = rows / 50,
                                  .density = 0.05,
                                  .spread = 4,
                                  .symmetric = symmetric},
                                 host);
      expect_plan_is_what_is_built(matrix, {});
      expect_plan_is_what_is_built(matrix, {.boundary = 0});
      expect_plan_is_what_is_built(matrix, {.boundary = 9, .slice_height = 7});
      expect_plan_is_what_is_built(matrix, {.format = "csb", .block_size = 10});
      expect_plan_is_what_is_built(matrix, {.format = "csb", .block_size = kLargestCsbBlock});
      expect_plan_is_what_is_built(matrix, {.boundary = 1'000'000});
      expect_plan_is_what_is_built(matrix, {.policy = BoundaryPolicy::column});
      expect_plan_is_what_is_built(matrix,
                                   {.boundary = rows / 3, .policy = BoundaryPolicy::column});
    }
}

/// Counts the rows that are filled.
class CountedFills final : public ForwardedRows {
 public:
  explicit CountedFills(const RowSource& rows) : rows_(rows) {}
  void fill(Index first, Index last, std::span<Column> columns,
            std::span<double> values) const override {
    filled_ += last - first;
    ForwardedRows::fill(first, last, columns, values);
  }
  Index filled() const { return filled_; }

 private:
  const RowSource& inner() const override { return rows_; }
  const RowSource& rows_;
  mutable std::atomic<Index> filled_ = 0;
};

// Rows of a Hamiltonian are computed: reading them is most of the time of `check`.
TEST(Plan, ReadsTheRowsOnceForBothFormatsOfDiagonals) {
  const base::Backend host = base::Backend::openmp(2);
  const GeneratedRows matrix(
      {.rows = 30'000, .reference_per_row = 20, .density = 0.0002, .spread = 2}, host);
  const CountedFills rows(matrix);
  const auto lengths = row_lengths(rows, host);
  plan_formats(rows, lengths.span(), {}, host);
  EXPECT_GE(rows.filled(), 30'000);
  EXPECT_LT(rows.filled(), 45'000);  // tiles are estimated from a sample
}

TEST(Plan, EstimatesTilesToAFewPerCent) {
  const base::Backend host = base::Backend::openmp(2);
  const GeneratedRows rows(
      {.rows = 20'000, .reference_per_row = 100, .density = 0.004, .spread = 5}, host);
  const auto lengths = row_lengths(rows, host);
  const FormatOptions options{.format = "tiled"};
  const PlannedFormat plan = plan_format(rows, lengths.span(), options, host);
  const auto built = build_matrix(rows, options, host);
  const auto held = static_cast<double>(built->memory().held);
  EXPECT_NEAR(static_cast<double>(plan.memory.held), held, 0.08 * held);
}

// This estimate refuses jobs before anything is counted, so it must not exceed the bytes held, and
// must be close to them.
TEST(Plan, NoFormatHoldsLessThanItsLowerBound) {
  const base::Backend host = base::Backend::openmp(2);
  const GeneratedRows rows({.rows = 4000, .reference_per_row = 300, .density = 0.4}, host);
  const auto lengths = row_lengths(rows, host);
  const auto nonzeros = static_cast<double>(total(lengths.span()));
  const auto compare = [&](const Format& format, ValueEncoding values, double element_bytes) {
    FormatOptions options{.values = values};
    options.format = format.name;
    const auto held =
        static_cast<double>(plan_format(rows, lengths.span(), options, host).memory.held);
    const double least = nonzeros * element_bytes + 4000 * format.row_bytes;
    EXPECT_LE(least, held) << format.name;
    if (format.name.ends_with("diagonal")) return;  // below
    // Tiles store such different values plain.
    const bool stays_plain = format.name == "tiled" && values == ValueEncoding::coded;
    EXPECT_GE(least, (stays_plain ? 0.3 : 0.9) * held) << format.name;
  };
  int coded = 0;
  for (const Format& format : formats()) {
    compare(format, ValueEncoding::plain, format.element_bytes);
    if (!format.coded) continue;
    compare(format, ValueEncoding::coded, format.coded->element_bytes);
    ++coded;
  }
  EXPECT_GT(coded, 0);
}

TEST(Plan, DiagonalsHoldLittleMoreThanTheirLowerBound) {
  const base::Backend host = base::Backend::openmp(2);
  const test::ElementRows rows(
      test::diagonal_elements({4000, 4000, 0, true}, test::band(0, 15), 1));
  const auto lengths = row_lengths(rows, host);
  for (const std::string format : {"diagonal", "compact-diagonal"}) {
    const double least =
        format_named(format).element_bytes * static_cast<double>(total(lengths.span()));
    const auto held = static_cast<double>(
        plan_format(rows, lengths.span(), {.format = format}, host).memory.held);
    EXPECT_LE(least, held) << format;
    EXPECT_GE(least, 0.9 * held) << format;
  }
}

TEST(Plan, SaturatesBeyond64Bits) {
  const MatrixShape shape{base::kLargestDimension, base::kLargestDimension};
  EXPECT_EQ(plan_csb(shape, 1, {.format = "csb", .block_size = 1}).held,
            std::numeric_limits<Index>::max());
}

TEST(Plan, HoldsForAMatrixWithoutNonZeros) {
  const base::Backend host = base::Backend::openmp(2);
  expect_plan_is_what_is_built(GeneratedRows({.rows = 100}, host), {});
}

// Random elements occupy nearly every diagonal; a band has few.
TEST(Plan, DiagonalFormatsAreLeftOutIfFarTooLarge) {
  const base::Backend host = base::Backend::openmp(2);
  constexpr Index rows = 30000;
  const auto names_of = [&](const RowSource& source, const FormatOptions& options) {
    std::vector<std::string> names;
    const base::Array<Column> lengths = row_lengths(source, host);
    for (const PlannedFormat& plan : plan_formats(source, lengths.span(), options, host))
      names.push_back(plan.options.format);
    return names;
  };
  std::vector<std::string> others;
  for (const std::string& name : format_names())
    if (!name.ends_with("diagonal")) others.push_back(name);
  const test::ElementRows scattered(test::random_elements(std::vector<Index>(rows, 40), rows, 5));
  EXPECT_EQ(names_of(scattered, {.format = "hybrid"}), others);
  EXPECT_EQ(names_of(scattered, {.format = "diagonal"}), format_names());
  const test::ElementRows few(test::random_elements(std::vector<Index>(rows, 3), rows, 5));
  EXPECT_EQ(names_of(few, {.format = "hybrid"}), format_names());
  const GeneratedRows banded(
      {.rows = rows, .reference_share = 0, .pattern = GeneratedPattern::banded, .diagonals = 41},
      host);
  EXPECT_EQ(names_of(banded, {.format = "hybrid"}), format_names());
}

}  // namespace
}  // namespace cisolve::sparse

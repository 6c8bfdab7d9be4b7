#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/offsets.hpp"
#include "sparse/formats/csb.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/formats/hybrid.hpp"
#include "sparse/formats/sliced.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/rows/threshold.hpp"
#include "sparse/stored/matrix.hpp"
#include "tests/support/matrices.hpp"

namespace cisolve::sparse {
namespace {

test::Elements paper_like(Index rows) {
  std::vector<Index> lengths(rows);
  for (Index i = 0; i < rows; ++i) lengths[i] = 200 + (i * 37) % 50;
  return test::random_elements(lengths, 2 * rows, 9);
}

TEST(Build, ACsrBuiltFromACsrIsTheSame) {
  const base::Backend host = base::Backend::openmp(2);
  const Csr first = build_csr(test::ElementRows(paper_like(100)), host);
  const Csr second = build_csr(CsrRows(first), host);
  EXPECT_TRUE(std::ranges::equal(first.offsets.span(), second.offsets.span()));
  EXPECT_TRUE(std::ranges::equal(first.columns.span(), second.columns.span()));
  EXPECT_TRUE(std::ranges::equal(first.values.span(), second.values.span()));
}

TEST(Build, AnUnknownFormatIsRefusedWithTheNamesThereAre) {
  const test::ElementRows rows(paper_like(5));
  try {
    build_matrix(rows, {.format = "crs"}, base::Backend::openmp());
    FAIL() << "it was built";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::configuration);
    for (const std::string& name : format_names())
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << name;
  }
}

// One grain of rows and the matrix together would exceed the memory.
TEST(Build, FewerRowsAreReadAtOnceIfMemoryIsShort) {
  const test::ElementRows rows(paper_like(1000));
  for (const std::string format : {"ellpack", "sell", "csb", "hybrid"}) {
    const FormatOptions options{.format = format, .block_size = 16};
    const auto roomy = build_matrix(rows, options, base::Backend::openmp(2, {}));
    constexpr Index a_row = 250 * Index{sizeof(Column) + sizeof(double)};
    const Index block = format == "csb" ? 16 : 1;
    const Index bytes = roomy->memory().held + 1000 * Index{sizeof(Index)} + 2 * block * a_row;
    const base::Backend host = base::Backend::openmp(2, {.host_bytes = bytes});
    const auto tight = build_matrix(rows, options, host);
    EXPECT_EQ(tight->memory().held, roomy->memory().held) << format;
    EXPECT_LE(host.memory().peak(), bytes) << format;
  }
}

// Besides source and result, a builder holds one or two numbers per row, and for each thread the
// rows that it reads at once.
TEST(Build, NoFormatHoldsMoreThanSourceAndResult) {
  const test::Elements elements = paper_like(3000);
  const test::ElementRows rows(elements);
  constexpr Index longest_row = 250;
  constexpr Index block_row = 128;  // rows per block of CSB, which reads one block row at once
  const auto read_at_once = [&](const std::string& name) {
    return 2 * (name == "csb" ? block_row : rows.grain()) * longest_row *
           Index{sizeof(Column) + sizeof(double)};
  };
  for (const std::string& name : format_names()) {
    const base::Backend host = base::Backend::openmp(2, {});
    const auto stored = build_matrix(rows, {.format = name}, host);
    const Index held = stored->memory().held;
    EXPECT_EQ(host.memory().used(), held) << name;
    EXPECT_LE(host.memory().peak(), held + 3000 * Index{sizeof(Index)} + read_at_once(name))
        << name;
  }
}

TEST(Build, RowsReadAtOnceAreReservedFromTheBudget) {
  const test::ElementRows rows(paper_like(1000));
  const base::Backend host = base::Backend::openmp(2);
  const auto lengths = row_lengths(rows, host);
  const Index before = host.memory().used();
  for_each_row(rows, lengths.span(), host, [&](const Row& row) {
    EXPECT_GE(host.memory().used() - before,
              rows.grain() * Index{sizeof(Column) + sizeof(double)} * 200 / 2)
        << row.number;
  });
  EXPECT_EQ(host.memory().used(), before);
  const base::Backend tight = base::Backend::openmp(2, {.host_bytes = 1 << 11});  // less than a row
  EXPECT_THROW(for_each_row(rows, lengths.span(), tight, [](const Row&) {}), base::Error);
  EXPECT_EQ(tight.memory().used(), 0);
}

TEST(Build, AMatrixBeyondTheBudgetIsRefusedBeforeItIsAllocated) {
  const base::Backend host = base::Backend::openmp(2, {.host_bytes = 1 << 20});
  const test::ElementRows rows(paper_like(3000));
  for (const std::string& name : format_names()) {
    try {
      build_matrix(rows, {.format = name}, host);
      FAIL() << name;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::resources) << name;
      EXPECT_NE(std::string(error.what()).find("budget of 1 MiB"), std::string::npos)
          << error.what();
    }
    EXPECT_EQ(host.memory().used(), 0) << name;
  }
}

TEST(Build, AFailingSourceEndsTheBuildWithItsOwnError) {
  class Failing final : public RowSource {
   public:
    MatrixShape shape() const override { return {1000, 1000, 0, false}; }
    void count(Index /*first*/, std::span<Column> lengths) const override {
      std::ranges::fill(lengths, 1);
    }
    void fill(Index first, Index last, std::span<Column> columns,
              std::span<double> /*values*/) const override {
      if (first <= 700 && 700 < last)
        base::fail(base::ErrorKind::bad_input, "row 700 is unreadable");
      std::ranges::fill(columns, 0);
    }
  };
  for (const std::string& name : format_names())
    EXPECT_THROW(
        try {
          build_matrix(Failing(), {.format = name}, base::Backend::openmp(2));
        } catch (const base::Error& error) {
          EXPECT_STREQ(error.what(), "row 700 is unreadable");
          throw;
        },
        base::Error);
}

TEST(Build, ImpossibleShapesAndOptionsAreRefused) {
  class Empty final : public RowSource {
   public:
    explicit Empty(MatrixShape shape) : shape_(shape) {}
    MatrixShape shape() const override { return shape_; }
    void count(Index /*first*/, std::span<Column> lengths) const override {
      std::ranges::fill(lengths, 0);
    }
    void fill(Index, Index, std::span<Column>, std::span<double>) const override {}

   private:
    MatrixShape shape_;
  };
  const base::Backend host = base::Backend::openmp(1);
  const Index huge = base::kLargestDimension + Index{1};
  for (const MatrixShape shape :
       {MatrixShape{-1, 1, 0, false}, MatrixShape{1, huge, 0, false},
        MatrixShape{huge, 1, 0, false}, MatrixShape{2, 2, 3, false}, MatrixShape{2, 3, 0, true}})
    for (const std::string& name : format_names())
      EXPECT_THROW(build_matrix(Empty(shape), {.format = name}, host), base::Error);
  const Empty small({2, 2, 0, false});
  for (const FormatOptions& options :
       {FormatOptions{.format = "magic"}, FormatOptions{.format = "sell", .slice_height = 0},
        FormatOptions{.format = "csb", .block_size = 0},
        FormatOptions{.format = "csb", .block_size = 8193},
        FormatOptions{.format = "hybrid", .boundary = -2}})
    EXPECT_THROW(build_matrix(small, options, host), base::Error) << options.format;
}

TEST(Build, DimensionsGoUpToTheLargestColumn) {
  const Index most = base::kLargestDimension;
  EXPECT_EQ(most, (Index{1} << 31) - 1);
  EXPECT_NO_THROW(require_storable({most, most, most, true}));
  EXPECT_THROW(require_storable({most + 1, 1, 0, false}), base::Error);
  EXPECT_THROW(require_storable({1, most + 1, 0, false}), base::Error);
}

TEST(Build, ABoundaryBeyond32BitsIsBeyondEveryRow) {
  const test::ElementRows rows(paper_like(20));
  const base::Backend host = base::Backend::openmp(2);
  const FormatOptions options{.boundary = (Index{1} << 32) + 1};
  const Hybrid matrix = build_hybrid(rows, options, host);
  EXPECT_EQ(matrix.tail_values.size(), 0);
  EXPECT_EQ(matrix.width, std::ranges::max(row_lengths(rows, host).span()));
}

// A warp processes a slice as a whole, so positions beyond the last row are padding, too.
TEST(Build, TheLastSliceIsPaddedBeyondTheLastRow) {
  const std::vector<Index> lengths = {1, 2, 3, 2, 1, 2};
  for (const std::string format : {"sell", "sell-r"}) {
    const Sliced matrix =
        build_sliced(test::ElementRows(test::random_elements(lengths, 9, 3)),
                     {.format = format, .slice_height = 4}, base::Backend::openmp(2));
    const SlicedView view = matrix.view();
    ASSERT_EQ(matrix.values.size(), 4 * (3 + 2));
    for (Index row = 0; row < 8; ++row)
      for (Index k = row < 6 ? lengths[row] : 0; k < view.width(row / 4); ++k) {
        EXPECT_EQ(view.column[view.position(row, k)], -1) << row << ", " << k;
        EXPECT_EQ(view.value[view.position(row, k)], 0) << row << ", " << k;
      }
  }
}

TEST(Build, TotalsAndOffsetsReachBeyond32Bits) {
  const std::vector<Column> lengths(3, 2'000'000'000);
  EXPECT_EQ(total(lengths), 6'000'000'000);
  const auto offsets = base::offsets_from(lengths, base::Backend::openmp(1), "offsets");
  EXPECT_THAT(std::vector<Index>(offsets.span().begin(), offsets.span().end()),
              ::testing::ElementsAre(0, 2'000'000'000, 4'000'000'000, 6'000'000'000));
}

TEST(Build, AThresholdLeavesOutSmallElementsOfEitherSignButNoDiagonal) {
  const base::Backend host = base::Backend::openmp(2);
  test::Elements matrix{{3, 3, 0, false}, {}};
  matrix.at = {{{0, 0}, 0.1},  {{0, 1}, 0.5}, {{0, 2}, -0.6}, {{1, 0}, -0.5},
               {{1, 1}, -2.0}, {{2, 0}, 0.7}, {{2, 1}, -0.1}, {{2, 2}, 0.0}};
  const ThresholdRows rows(std::make_unique<test::ElementRows>(matrix), 0.5);
  const Csr kept = build_csr(rows, host);
  EXPECT_THAT(std::vector<Column>(kept.columns.span().begin(), kept.columns.span().end()),
              ::testing::ElementsAre(0, 2, 1, 0, 2));
  EXPECT_THAT(std::vector<double>(kept.values.span().begin(), kept.values.span().end()),
              ::testing::ElementsAre(0.1, -0.6, -2.0, 0.7, 0.0));
}

TEST(Build, AThresholdKnowsTheDiagonalOfEachChunkOfRows) {
  const base::Backend host = base::Backend::openmp(2);
  test::Elements matrix{{20, 20, 0, false}, {}};  // three chunks of seven
  for (Index i = 0; i < 20; ++i) matrix.at[{i, i}] = 0.01;
  for (Index i = 0; i < 20; ++i) matrix.at[{i, i % 7}] += 0.02;
  const Csr kept = build_csr(ThresholdRows(std::make_unique<test::ElementRows>(matrix), 0.5), host);
  ASSERT_EQ(kept.nonzeros(), 20);
  for (Index i = 0; i < 20; ++i) EXPECT_EQ(kept.columns[i], i);
}

TEST(Build, TheAutomaticBoundaryLeavesFewRowsUnfilled) {
  const auto boundary = [](std::vector<Column> lengths) {
    return automatic_boundary(std::span<const Column>(lengths));
  };
  EXPECT_EQ(boundary({}), 0);
  EXPECT_EQ(boundary({5, 5, 5}), 5);
  EXPECT_EQ(boundary(std::vector<Column>(100, 0)), 0);
  std::vector<Column> lengths(100, 40);
  lengths[3] = 1000;
  std::fill_n(lengths.begin() + 10, 9, 2);  // nine of a hundred rows are shorter
  EXPECT_EQ(boundary(lengths), 40);
  lengths[20] = 2;  // no more than a tenth
  EXPECT_EQ(boundary(lengths), 40);
  lengths[21] = 39;  // one row more, by one element
  EXPECT_EQ(boundary(lengths), 39);
  std::fill_n(lengths.begin() + 30, 9, 7);  // twenty of a hundred
  EXPECT_EQ(boundary(lengths), 7);
  EXPECT_EQ(boundary({6, 6, 6, 6, 6, 6, 6, 6, 6, 5}), 6);  // one row of ten is shorter
  EXPECT_EQ(boundary({6, 6, 6, 6, 6, 6, 6, 6, 5}), 5);     // one row of nine is shorter
  EXPECT_EQ(boundary(std::vector<Column>(100, 127)), 127);
  EXPECT_EQ(boundary(std::vector<Column>(100, 129)), 128);
  EXPECT_EQ(boundary(std::vector<Column>(100, 159)), 128);  // rows begin at lines of memory
  EXPECT_EQ(boundary(std::vector<Column>(100, 940)), 928);
  EXPECT_EQ(boundary(std::vector<Column>(100, 960)), 960);
}

// The least power of two whose square reaches the dimension: as many blocks in a block row as rows
// in a block.
TEST(Build, TheAutomaticBlockIsTheRootOfTheDimension) {
  const auto is_block = [](const MatrixShape& shape, Index size) {
    const MemoryUse chosen = plan_csb(shape, 0, {.format = "csb"});
    return chosen.held == plan_csb(shape, 0, {.format = "csb", .block_size = size}).held &&
           chosen.held != plan_csb(shape, 0, {.format = "csb", .block_size = 2 * size}).held;
  };
  for (const auto& [dimension, size] : {std::pair<Index, Index>{4, 2},
                                        {5, 4},
                                        {16, 4},
                                        {17, 8},
                                        {64, 8},
                                        {65, 16},
                                        {1 << 20, 1 << 10}})
    for (const MatrixShape& shape :
         {MatrixShape{dimension, dimension}, MatrixShape{dimension, 1}, MatrixShape{1, dimension}})
      EXPECT_TRUE(is_block(shape, size)) << shape.rows << " x " << shape.columns;
  constexpr Index largest = kLargestCsbBlock;
  for (const Index dimension : {largest * largest, largest * largest + 1, 4 * largest * largest})
    EXPECT_EQ(plan_csb({dimension, dimension}, 0, {.format = "csb"}).held,
              plan_csb({dimension, dimension}, 0, {.format = "csb", .block_size = largest}).held);
}

}  // namespace
}  // namespace cisolve::sparse

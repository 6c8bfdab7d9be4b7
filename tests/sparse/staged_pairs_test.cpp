#include "sparse/diagonal/staged_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sparse/diagonal/matrix_product.hpp"
#include "tests/support/diagonals.hpp"

// The stages of a product as a block of threads would go through them, here one thread after the
// other.
namespace cisolve::sparse {
namespace {

using test::ElementRows;

const base::Backend kStagedHost = base::Backend::openmp(2);

/// One stage in memory of its own: zeros where a segment says that nothing is there.
std::vector<double> bring(const StagedPairs& staged, const StagedPairs::Stage& stage, Index first,
                          const Diagonal& a, const Diagonal& b) {
  std::vector<double> values(StagedPairs::kValues, std::nan(""));
  for (int k = stage.first_segment; k < stage.last_segment; ++k) {
    const StagedPairs::Segment& segment = staged.segments[k];
    EXPECT_EQ(segment.base % 2, 0);
    EXPECT_EQ(segment.target % 2, 0);
    EXPECT_EQ(segment.count % 2, 0);
    EXPECT_LE(segment.target + segment.count, StagedPairs::kValues);
    const Diagonal& source = segment.of_b != 0 ? b : a;
    for (int e = 0; e < segment.count; ++e) {
      const Index row = first + segment.first + e;
      const bool is_there = row >= segment.low && row < segment.high;
      const Index place = segment.base + first + e;
      values[segment.target + e] = 0;
      if (!is_there) continue;
      EXPECT_GE(place, 0);
      EXPECT_LT(place, source.values.size());
      if (place >= 0 && place < source.values.size())
        values[segment.target + e] = source.values[place];
    }
  }
  return values;
}

Diagonal by_stages(const DiagonalProduct& product, const Diagonal& a, const Diagonal& b) {
  const ProductPairs& pairs = product.pairs();
  const StagedPairs staged = StagedPairs::of(pairs, kStagedHost);
  Diagonal c = product.allocate();
  std::ranges::fill(c.values.span(), 0);
  for (Index block = 0; block + 1 < std::ssize(staged.first_stages); ++block)
    for (Index first = 0; first < pairs.rows; first += StagedPairs::kRows)
      for (int s = staged.first_stages[block]; s < staged.first_stages[block + 1]; ++s) {
        const StagedPairs::Stage& stage = staged.stages[s];
        const std::vector<double> values = bring(staged, stage, first, a, b);
        for (int warp = 0; warp < StagedPairs::kWarps; ++warp) {
          const Index place = Index{s} * StagedPairs::kWarps + warp;
          int before = 0;
          for (int w = staged.first_works[place]; w < staged.first_works[place + 1]; ++w) {
            const StagedPairs::Work work = staged.works[w];
            const int output = static_cast<int>(work & 15U);
            EXPECT_GE(output, before);
            before = output;
            const Index number = block * staged.block_outputs + warp + output * StagedPairs::kWarps;
            const auto [base, shift] = pairs.outputs[number];
            for (Index i = 0; i < StagedPairs::kRows; ++i) {
              const Index row = first + i;
              if (row < pairs.first_row(number) || row >= pairs.last_row(number)) continue;
              c.values[base + row] += values[(work >> 4 & 16383) + i] * values[(work >> 18) + i];
            }
          }
        }
      }
  return c;
}

void expect_same(const std::vector<Index>& shifts_a, const std::vector<Index>& shifts_b, Index rows,
                 Index inner, Index columns) {
  const test::Elements left = test::diagonal_elements({rows, inner, 0, false}, shifts_a, 1);
  const test::Elements right = test::diagonal_elements({inner, columns, 0, false}, shifts_b, 2);
  for (const char* format : {"diagonal", "compact-diagonal"}) {
    const Diagonal a = build_diagonal(ElementRows(left), {.format = format}, kStagedHost);
    const Diagonal b = build_diagonal(ElementRows(right), {.format = format}, kStagedHost);
    const DiagonalProduct product({a}, {b});
    Diagonal expected = product.allocate();
    product.multiply(a, b, 0, expected);
    const Diagonal found = by_stages(product, a, b);
    for (Index i = 0; i < expected.values.size(); ++i)
      ASSERT_NEAR(found.values[i], expected.values[i], 1e-12) << format << ", " << i;
  }
}

TEST(StagedPairs, HoldEveryPairOfScatteredDiagonalsOnce) {
  expect_same({-380, -97, -8, -7, 0, 31, 200, 333}, {-300, -41, 0, 1, 2, 111, 399}, 401, 401, 401);
  expect_same({0}, {0}, 3, 3, 3);
  expect_same({-5, -64}, {-1, -3}, 100, 100, 100);
  expect_same({-120, 0, 3, 200}, {-199, -100, 0, 1, 129}, 150, 250, 130);
}

// More pairs than a stage has room for, and bands for which a block has fewer outputs.
TEST(StagedPairs, HoldEveryPairOfBandsOnce) {
  expect_same(test::band(40, 33), test::band(57, 20), 300, 300, 300);
  expect_same(test::band(299, 299), test::band(3, 3), 300, 300, 300);
}

}  // namespace
}  // namespace cisolve::sparse

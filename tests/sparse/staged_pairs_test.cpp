#include "sparse/diagonal/staged_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sparse/diagonal/matrix_product.hpp"
#include "sparse/diagonal/warp_assignment.hpp"
#include "tests/support/diagonals.hpp"

// The stages of a product as a thread block executes them, here in one thread.
namespace cisolve::sparse {
namespace {

using test::ElementRows;

const base::Backend kStagedHost = base::Backend::openmp(2);

using PairValues = std::vector<double>;

/// One stage in separate memory: zeros if a segment is marked absent.
PairValues bring(const StagedPairs& staged, const StagedPairs::Stage& stage, Index first,
                 const Diagonal& a, const Diagonal& b) {
  EXPECT_EQ(stage.first_word % 2, 0);
  EXPECT_EQ(stage.words % 2, 0);
  EXPECT_LE(stage.last_segment - stage.first_segment, StagedPairs::kMostSegments);
  PairValues values(StagedPairs::kValues, std::nan(""));
  for (int k = stage.first_segment; k < stage.last_segment; ++k) {
    const StagedPairs::Segment& segment = staged.segments[k];
    EXPECT_EQ(segment.base % 2, 0);
    EXPECT_EQ(segment.target % 2, 0);
    EXPECT_EQ(segment.count % 2, 0);
    EXPECT_LE(segment.count, staged.longest);
    EXPECT_GE(segment.target, stage.words);
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

/// The work items of a warp in a stage: from the offset in the warp's head word to the end mark.
std::vector<StagedPairs::Work> works_of(const StagedPairs& staged, const StagedPairs::Stage& stage,
                                        int warp) {
  const StagedPairs::Work* words = staged.words.data() + stage.first_word;
  const std::uint32_t begin = warp % 2 == 0 ? words[warp / 2].b : words[warp / 2].a;
  EXPECT_EQ(begin % sizeof(StagedPairs::Work), 0);
  std::vector<StagedPairs::Work> works;
  for (auto w = static_cast<int>(begin / sizeof(StagedPairs::Work));; ++w) {
    if (w >= stage.words) ADD_FAILURE() << "a list without an end";
    if (w >= stage.words || words[w].output() == StagedPairs::kEnd) return works;
    EXPECT_TRUE(works.empty() || works.back().output() <= words[w].output());
    works.push_back(words[w]);
  }
}

/// Contributions of one warp to the rows from `first` on.
void multiply(const ProductPairs& pairs, const StagedPairs& staged, Index block, int warp,
              const std::vector<StagedPairs::Work>& works, const PairValues& values, Index first,
              Diagonal& c) {
  for (const StagedPairs::Work& work : works) {
    ASSERT_LT(work.output(), StagedPairs::kOutputs);
    const std::int32_t number =
        staged
            .members[(block * StagedPairs::kWarps + warp) * StagedPairs::kOutputs + work.output()];
    ASSERT_NE(number, StagedPairs::kNone);
    const auto [base, shift] = pairs.outputs[number];
    EXPECT_GE(shift, staged.blocks[block].least_shift);
    EXPECT_LE(shift, staged.blocks[block].largest_shift);
    for (Index i = 0; i < StagedPairs::kRows; ++i) {
      const Index row = first + i;
      if (row < pairs.first_row(number) || row >= pairs.last_row(number)) continue;
      c.values[base + row] += values[work.place_of_a() + i] * values[work.place_of_b() + i];
    }
  }
}

Diagonal by_stages(const DiagonalProductPlan& product, const Diagonal& a, const Diagonal& b) {
  const ProductPairs& pairs = product.pairs();
  const StagedPairs staged = StagedPairs::of(pairs, kStagedHost);
  Diagonal c = product.allocate();
  std::ranges::fill(c.values.span(), 0);
  for (Index block = 0; block < std::ssize(staged.blocks); ++block)
    for (Index first = 0; first < pairs.rows; first += StagedPairs::kRows)
      for (int s = staged.blocks[block].first_stage; s < staged.blocks[block].last_stage; ++s) {
        const StagedPairs::Stage& stage = staged.stages[s];
        const PairValues values = bring(staged, stage, first, a, b);
        for (int warp = 0; warp < StagedPairs::kWarps; ++warp)
          multiply(pairs, staged, block, warp, works_of(staged, stage, warp), values, first, c);
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
    const DiagonalProductPlan product({a}, {b});
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

// More pairs than a stage holds, and bands that give a block fewer outputs.
TEST(StagedPairs, HoldEveryPairOfBandsOnce) {
  expect_same(test::band(40, 33), test::band(57, 20), 300, 300, 300);
  expect_same(test::band(299, 299), test::band(3, 3), 300, 300, 300);
}

/// Work items of the slowest warp, summed over all stages, relative to the mean.
double slowest_of(const StagedPairs& staged) {
  Index slowest = 0;
  Index all = 0;
  for (const StagedPairs::Stage& stage : staged.stages) {
    Index most = 0;
    for (int warp = 0; warp < StagedPairs::kWarps; ++warp) {
      const Index works = std::ssize(works_of(staged, stage, warp));
      most = std::max(most, works);
      all += works;
    }
    slowest += most;
  }
  return static_cast<double>(slowest * StagedPairs::kWarps) / static_cast<double>(all);
}

// Distributed in order of their numbers, the slowest warp would have 1.4 times the mean.
TEST(StagedPairs, BalanceTheWorkOfWarps) {
  std::vector<Index> shifts_a;
  std::vector<Index> shifts_b;
  for (Index k = 0; k < 300; ++k) {
    shifts_a.push_back(8 * k - 1200 + (k * k * 7) % 8);
    shifts_b.push_back(8 * k - 1200 + (k * k * k * 5 + k) % 8);
  }
  const MatrixShape shape{3000, 3000, 0, false};
  const auto matrix = [&](const std::vector<Index>& shifts) {
    return allocate_diagonal(lay_out(kDiagonal, shape, false, shifts), kStagedHost);
  };
  const Diagonal a = matrix(shifts_a);
  const Diagonal b = matrix(shifts_b);
  const StagedPairs staged = StagedPairs::of(DiagonalProductPlan({a}, {b}).pairs(), kStagedHost);
  EXPECT_LT(slowest_of(staged), 1.15);
  const auto words = [&](const StagedPairs::Block& block) {
    Index count = 0;
    for (int s = block.first_stage; s < block.last_stage; ++s) count += staged.stages[s].words;
    return count;
  };
  EXPECT_TRUE(std::ranges::is_sorted(staged.blocks, std::ranges::greater{}, words));
}

// However different the outputs, no warp has more of them than accumulators.
TEST(StagedPairs, GiveNoWarpMoreOutputsThanAccumulators) {
  std::vector<std::vector<Index>> works(StagedPairs::kWarps * StagedPairs::kOutputs, {1, 0});
  for (int k = 0; k + 1 < StagedPairs::kWarps; ++k) works[k] = {1000, 7};
  const WarpAssignment crew(works);
  std::set<std::pair<int, int>> taken;
  for (Index output = 0; output < std::ssize(works); ++output) {
    EXPECT_LT(crew.warp(output), StagedPairs::kWarps);
    EXPECT_LT(crew.slot(output), StagedPairs::kOutputs);
    EXPECT_TRUE(taken.insert({crew.warp(output), crew.slot(output)}).second);
  }
}

}  // namespace
}  // namespace cisolve::sparse

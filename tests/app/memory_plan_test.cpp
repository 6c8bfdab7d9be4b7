#include "app/job/memory_plan.hpp"

#include <gtest/gtest.h>

#include "sparse/build.hpp"
#include "sparse/generator.hpp"

namespace cisolve::app {
namespace {

// The plan counts row lengths; the formats count the arrays that they really have.
void expect_plan_is_what_is_built(const sparse::RowSource& rows, sparse::FormatOptions options) {
  const base::Backend host = base::Backend::openmp(2);
  const auto lengths = sparse::row_lengths(rows, host);
  const auto plans = plan_formats(rows, lengths.span(), options, host);
  ASSERT_EQ(plans.size(), sparse::format_names().size());
  for (const PlannedFormat& plan : plans) {
    options.format = plan.options.format;
    if (options.format == "tiled") continue;  // below
    const auto built = sparse::build_matrix(rows, options, host);
    EXPECT_EQ(plan.memory.by_formula, built->memory().by_formula) << options.format;
    EXPECT_EQ(plan.memory.held, built->memory().held) << options.format;
    EXPECT_EQ(plan.memory.padding, built->memory().padding) << options.format;
    if (options.format == "hybrid") {
      EXPECT_EQ(plan.options.boundary, built->boundary());
    }
  }
}

TEST(MemoryPlan, IsWhatTheFormatsHold) {
  const base::Backend host = base::Backend::openmp(2);
  for (const bool symmetric : {false, true})
    for (const Index rows : {1, 31, 333, 1000}) {
      const sparse::GeneratedRows matrix({.rows = rows,
                                          .reference_per_row = rows / 50,
                                          .density = 0.05,
                                          .spread = 4,
                                          .symmetric = symmetric},
                                         host);
      expect_plan_is_what_is_built(matrix, {});
      expect_plan_is_what_is_built(matrix, {.boundary = 0});
      expect_plan_is_what_is_built(matrix, {.boundary = 9, .slice_height = 7, .block_size = 10});
      expect_plan_is_what_is_built(matrix, {.boundary = 1'000'000});
      expect_plan_is_what_is_built(matrix, {.policy = sparse::BoundaryPolicy::column});
      expect_plan_is_what_is_built(
          matrix, {.boundary = rows / 3, .policy = sparse::BoundaryPolicy::column});
    }
}

TEST(MemoryPlan, EstimatesTilesToAFewPerCent) {
  const base::Backend host = base::Backend::openmp(2);
  const sparse::GeneratedRows rows(
      {.rows = 20'000, .reference_per_row = 100, .density = 0.004, .spread = 5}, host);
  const auto lengths = sparse::row_lengths(rows, host);
  const sparse::FormatOptions options{.format = "tiled"};
  const PlannedFormat plan = plan_format(rows, lengths.span(), options, host);
  const auto built = sparse::build_matrix(rows, options, host);
  const auto held = static_cast<double>(built->memory().held);
  EXPECT_NEAR(static_cast<double>(plan.memory.held), held, 0.08 * held);
}

TEST(MemoryPlan, HoldsForAMatrixWithoutNonZeros) {
  const base::Backend host = base::Backend::openmp(2);
  expect_plan_is_what_is_built(sparse::GeneratedRows({.rows = 100}, host), {});
}

}  // namespace
}  // namespace cisolve::app

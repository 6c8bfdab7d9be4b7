#include "app/sweeps/sweep_points.hpp"

#include <gtest/gtest.h>

#include "app/config/load.hpp"
#include "app/sweeps/sweep_point_file.hpp"
#include "base/error.hpp"
#include "job/methods/methods.hpp"
#include "job/ranking/rank_plans.hpp"

namespace cisolve::app {
namespace {

Configuration swept(const std::string& axes) {
  std::vector<Override> overrides;
  std::size_t begin = 0;
  for (std::size_t end = 0; begin < axes.size(); begin = end + 1) {
    end = std::min(axes.find(';', begin), axes.size());
    overrides.push_back(parse_override("sweep." + axes.substr(begin, end - begin)));
  }
  return make_configuration(job::ProblemSource::generate, overrides);
}

std::vector<std::string> labels_of(const std::string& axis) {
  std::vector<std::string> labels;
  const Configuration configuration = swept(axis);
  for (const SweepValue& value : configuration.sweep.axes.front().values)
    labels.push_back(value.label);
  return labels;
}

using Labels = std::vector<std::string>;

TEST(SweepValues, ARangeIncludesItsEnd) {
  EXPECT_EQ(labels_of("threads={from: 1, to: 8, factor: 2}"), (Labels{"1", "2", "4", "8"}));
  EXPECT_EQ(labels_of("storage.boundary=[auto, {from: 0, to: 100, step: 40}, 7]"),
            (Labels{"auto", "0", "40", "80", "7"}));
  EXPECT_EQ(labels_of("problem.generate.density={from: 0.3, to: 0.1, step: -0.1}"),
            (Labels{"0.3", "0.2", "0.1"}));
  EXPECT_EQ(labels_of("threads=3"), (Labels{"3"}));
  EXPECT_EQ(labels_of("space.electrons=[[1, 2], [2, 2]]"), (Labels{"[1, 2]", "[2, 2]"}));
  EXPECT_EQ(labels_of("solver.seed=[{value: 3, label: third}, 4]"), (Labels{"third", "4"}));
}

// The choice for a device; the host always gets hybrid for auto.
std::string format_on_device(const std::string& axes, std::size_t point = 0) {
  const Configuration configuration = swept(axes);
  return job::possible_forms(at_sweep_point(configuration, std::vector{point}).request, true)
      .front()
      .storage.format;
}

TEST(SweepPoints, OfBoundaryAreHybridMatrices) {
  EXPECT_EQ(format_on_device("storage.boundary=[7, auto]"), "hybrid");
  EXPECT_EQ(format_on_device("storage.boundary=[7, auto]", 1), "hybrid");
  EXPECT_EQ(format_on_device("product.vectors=[1, 4]"), "tiled");
  EXPECT_EQ(format_on_device("storage.format=[csr, auto]"), "csr");
  EXPECT_EQ(format_on_device("storage.format=[csr, auto]", 1), "tiled");
}

TEST(SweepPoints, RecordTheStoredFractionOfMixedElements) {
  SweepPoint point{.chosen = {}, .labels = {}, .configuration = std::nullopt};
  point.form = {&job::kMixed, {.format = "csr", .share = {{.elements = 0.25, .bytes = 777}}}};
  point.product.stored = {5, 60, 700};
  SweepPoint again{.chosen = {}, .labels = {}, .configuration = std::nullopt};
  restore_point(stored_point(point, Json()), "a point", again);
  ASSERT_TRUE(again.form.storage.share);
  EXPECT_EQ(again.form.method, &job::kMixed);
  EXPECT_EQ(again.form.storage.share->elements, 0.25);
  EXPECT_EQ(again.form.storage.share->bytes, 777);
  ASSERT_TRUE(again.product.stored);
  EXPECT_EQ(again.product.stored->rows, 5);
  EXPECT_EQ(again.product.stored->nonzeros, 60);
  EXPECT_EQ(again.product.stored->bytes, 700);
  SweepPoint plain{.chosen = {}, .labels = {}, .configuration = std::nullopt};
  point.form = {&job::kFactorised, {}};
  point.product.stored.reset();
  restore_point(stored_point(point, Json()), "a point", plain);
  EXPECT_EQ(plain.form.method, &job::kFactorised);
  EXPECT_FALSE(plain.form.storage.share);
  EXPECT_FALSE(plain.product.stored);
}

TEST(SweepPoints, AreEveryCombinationWithTheLastAxisFastest) {
  const auto points =
      sweep_points(swept("storage.format=[csr, sell];storage.slice_height=[8, 16]"));
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[1].labels, (Labels{"csr", "16"}));
  EXPECT_EQ(points[2].labels, (Labels{"sell", "8"}));
  EXPECT_EQ(points[2].form.storage.format, "sell");
  EXPECT_EQ(points[2].form.storage.slice_height, 8);
}

TEST(SweepPoints, ABadValueAffectsOnlyItsPoint) {
  const auto points = sweep_points(swept("threads=[1, none, 2]"));
  ASSERT_EQ(points.size(), 3u);
  EXPECT_FALSE(points[0].failed());
  EXPECT_FALSE(points[2].failed());
  EXPECT_EQ(points[1].code, ExitCode::configuration);
  EXPECT_NE(points[1].reason.find("threads is 'none'; expected a whole number"), std::string::npos);
}

TEST(SweepPoints, ReuseAMatrixIfOnlyStorageSolverOrMachineDiffer) {
  const auto groups = [](const std::string& axes) {
    const Configuration configuration = swept(axes);
    auto points = sweep_points(configuration);
    return points_by_matrix(configuration, points).size();
  };
  EXPECT_EQ(groups("storage.format=[csr, sell];threads=[1, 2];solver.states=[1, 2]"), 1u);
  EXPECT_EQ(groups("problem.generate.seed=[1, 2, 3];storage.boundary=[0, 9]"), 3u);
  EXPECT_EQ(groups("storage.boundary=[0, 9];problem.reference_columns=[1, 2]"), 2u);
  EXPECT_EQ(groups("memory=[1 kB, 1 GiB];storage.boundary=[0, 9]"), 2u);
}

// Four boundaries with given medians, the last of them automatic.
std::vector<SweepPoint> timed(const Configuration& configuration,
                              const std::vector<double>& medians) {
  auto points = sweep_points(configuration);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].samples.add(medians[i], medians[i]);
    points[i].product.times = {.median = medians[i], .spread = 0.005};
  }
  return points;
}

TEST(AutomaticChoices, AreComparedWithTheBestAlternative) {
  const Configuration configuration =
      swept("storage.format=[hybrid];storage.boundary=[0, 10, 20, auto]");
  const auto close = automatic_choices(configuration, timed(configuration, {2, 1, 3, 1.02}));
  ASSERT_EQ(close.size(), 1u);
  EXPECT_EQ(close[0].point, 3u);
  EXPECT_EQ(close[0].best, 1u);
  EXPECT_NEAR(close[0].slower, 0.02, 1e-12);
  EXPECT_NEAR(close[0].spread, 0.01, 1e-12);
  EXPECT_TRUE(close[0].holds());
  const auto far = automatic_choices(configuration, timed(configuration, {2, 1, 3, 1.04}));
  EXPECT_FALSE(far[0].holds());
}

TEST(AutomaticChoices, CompareOnlyPointsThatDifferInBoundaryAlone) {
  const Configuration configuration =
      swept("storage.format=[hybrid];storage.boundary=[0, auto];product.vectors=[1, 4]");
  const auto choices = automatic_choices(configuration, timed(configuration, {1, 9, 2, 3}));
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[0].best, 0u);  // one vector: 1 against 2
  EXPECT_EQ(choices[1].best, 3u);  // four vectors: 9 against 3
  EXPECT_NEAR(choices[0].slower, 1, 1e-12);
  EXPECT_EQ(choices[1].slower, 0);
}

}  // namespace
}  // namespace cisolve::app

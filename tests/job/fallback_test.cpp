#include "job/plan/fallback.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "app/config/load.hpp"

// What is done instead, when the memory of a device does not suffice: its choice, without a device.
namespace cisolve::app {
namespace {

constexpr Index kMuch = Index{100} << 30;

/// Every plan that is made one after the other when each of them fails.
std::vector<std::string> plans(job::ProblemSource source, const std::vector<std::string>& settings,
                               Index device_bytes, Index free_bytes) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  const Configuration configuration = make_configuration(source, overrides);
  std::optional<job::Plan> plan =
      job::Plan{true, job::chosen_format(configuration, true), device_bytes};
  std::vector<std::string> texts;
  while (plan && texts.size() < 10) {
    texts.push_back(plan->text());
    plan = job::smaller_plan(configuration, *plan, free_bytes);
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(SmallerPlan, IsCsrAndThenTheHostWhereAllIsLeftToTheProgram) {
  EXPECT_EQ(plans(job::ProblemSource::generate, {}, 1000, kMuch),
            (Texts{"tiled on the device", "csr on the device", "hybrid on the host"}));
  EXPECT_EQ(plans(job::ProblemSource::lattice, {}, 1000, kMuch),
            (Texts{"hybrid on the device", "csr on the device", "hybrid on the host"}));
}

TEST(SmallerPlan, NeverReplacesWhatIsAskedForByName) {
  EXPECT_EQ(plans(job::ProblemSource::generate, {"storage.format=ellpack"}, 1000, kMuch),
            (Texts{"ellpack on the device", "ellpack on the host"}));
  EXPECT_EQ(plans(job::ProblemSource::generate, {"storage.boundary=7"}, 1000, kMuch),
            (Texts{"hybrid on the device", "hybrid on the host"}));
  EXPECT_EQ(plans(job::ProblemSource::generate, {"backend=cuda"}, 1000, kMuch),
            (Texts{"tiled on the device", "csr on the device"}));
  EXPECT_EQ(
      plans(job::ProblemSource::generate, {"backend=cuda", "storage.format=csr"}, 1000, kMuch),
      (Texts{"csr on the device"}));
}

TEST(SmallerPlan, TakesWhatIsReallyFreeForTheBudget) {
  const Configuration configuration = make_configuration(job::ProblemSource::generate, {});
  const auto plan = job::smaller_plan(configuration, {true, "tiled", kMuch}, 2000);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->device_bytes, 1900);
  EXPECT_EQ(job::smaller_plan(configuration, {true, "tiled", 1000}, 2000)->device_bytes, 1000);
  EXPECT_GT(job::smaller_plan(configuration, {true, "tiled", 1000}, 0)->device_bytes, 0);
}

TEST(SmallerPlan, TriesTheSameOnceMoreWhereTheBudgetWasBeyondTheDevice) {
  EXPECT_EQ(
      plans(job::ProblemSource::generate, {"backend=cuda", "storage.format=csr"}, kMuch, 2000),
      (Texts{"csr on the device", "csr on the device"}));
  EXPECT_EQ(plans(job::ProblemSource::generate, {"storage.format=csr"}, kMuch, 2000),
            (Texts{"csr on the device", "csr on the device", "csr on the host"}));
}

TEST(SmallerPlan, KeepsBackAsMuchOfADeviceAsItsFirstBudgetDid) {
  const Configuration configuration = make_configuration(job::ProblemSource::generate, {});
  const auto plan = job::smaller_plan(configuration, {true, "csr", kMuch}, 12'345'678);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->device_bytes, base::default_device_limit(12'345'678));
}

TEST(SmallerPlan, TakesADeviceByItsNumberForOneByName) {
  EXPECT_EQ(plans(job::ProblemSource::generate, {"backend=cuda:1"}, 1000, kMuch),
            (Texts{"tiled on the device", "csr on the device"}));
}

TEST(SmallerPlan, IsNoneOnTheHost) {
  const Configuration configuration = make_configuration(job::ProblemSource::generate, {});
  EXPECT_FALSE(job::smaller_plan(configuration, {false, "hybrid", 0}, kMuch));
}

}  // namespace
}  // namespace cisolve::app

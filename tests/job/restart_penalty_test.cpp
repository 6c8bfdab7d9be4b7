#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/config/load.hpp"
#include "job/ranking/plan_fallback.hpp"
#include "job/ranking/rank_plans.hpp"

// Plans that leave little memory for the search space need more products.
namespace cisolve::app {
namespace {

/// The plan for a device and a host with memory for these numbers of vectors.
job::Plan plan_within(double of_device, double of_host, const std::vector<std::string>& settings) {
  constexpr double kRows = 1e8;
  constexpr double kVector = 8 * kRows;
  job::MatrixEstimate counts{kRows, 60 * kRows};
  counts.factors = ci::FactorisedCost{};
  std::vector<Override> overrides = {parse_override("problem.fcidump=a"),
                                     parse_override("storage.elements=factorised")};
  for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
  const auto plans =
      job::rank_plans(make_configuration(job::ProblemSource::fcidump, overrides).request, counts,
                      {.host = static_cast<Index>(of_host * kVector),
                       .device = static_cast<Index>(of_device * kVector)});
  return plans.front();
}

TEST(Staging, IsPlannedIfADeviceLacksMemoryForTheSearchSpace) {
  const job::Plan roomy = plan_within(60, 20, {});
  EXPECT_TRUE(roomy.fits());
  EXPECT_EQ(roomy.solving.staged, 0);
  const job::Plan staged = plan_within(4, 20, {});
  EXPECT_TRUE(staged.fits());
  EXPECT_GT(staged.solving.staged, Index{4} * 800'000'000 - 1);  // two in full, two in half
  EXPECT_GT(staged.solving.moved, 1e10);
  EXPECT_LT(staged.solving.restart_penalty, 2);
}

TEST(Staging, NeedsHostMemoryAndAMethodThatSupportsIt) {
  EXPECT_FALSE(plan_within(4, 3, {}).fits());
  EXPECT_FALSE(plan_within(4, 20, {"solver.method=lanczos"}).fits());
  EXPECT_FALSE(plan_within(4, 20, {"solver.near=-1"}).fits());
  EXPECT_FALSE(plan_within(4, 20, {"solver.follow=a.h5"}).fits());
  EXPECT_FALSE(plan_within(4, 20, {"solver.basis=full"}).fits());
  EXPECT_TRUE(plan_within(10, 20, {"solver.states=6"}).fits());
  EXPECT_GT(plan_within(60, 20, {"solver.basis=staged"}).solving.staged, 0);
}

TEST(Staging, TakesTimeToMoveVectors) {
  job::Plan plan;
  plan.setup_seconds = 3;
  plan.product_seconds = 1;
  const double before = *plan.whole_seconds();
  plan.solving.moved = 1e12;
  EXPECT_GT(*plan.whole_seconds(), 10 * before);
}

/// Even or odd vectors are half as long, besides two whole ones.
TEST(RestartPenalty, EqualsThatOfTheParityBasisIfOneStateIsFoundThere) {
  job::MatrixEstimate counts{1e6, 6e7};
  const auto restart_penalty = [&](bool has_parity, const std::vector<std::string>& settings) {
    counts.factors = ci::FactorisedCost{.has_parity = has_parity};
    std::vector<std::string> all = {"storage.elements=factorised"};
    all.insert(all.end(), settings.begin(), settings.end());
    std::vector<Override> overrides = {parse_override("problem.fcidump=a")};
    for (const std::string& setting : all) overrides.push_back(parse_override(setting));
    const job::Request request = make_configuration(job::ProblemSource::fcidump, overrides).request;
    const auto plans = job::rank_plans(request, counts, {150'000'000});
    return plans[job::first_fitting(plans)].solving.restart_penalty;
  };
  const double whole = restart_penalty(false, {});
  EXPECT_GT(whole, 2);
  EXPECT_LT(restart_penalty(true, {}), whole / 1.5);
  EXPECT_EQ(restart_penalty(true, {"solver.near=1"}), restart_penalty(false, {"solver.near=1"}));
  EXPECT_EQ(restart_penalty(true, {"solver.states=2"}),
            restart_penalty(false, {"solver.states=2"}));
  const double steps = restart_penalty(true, {"solver.method=lanczos"});
  EXPECT_EQ(steps, restart_penalty(false, {"solver.method=lanczos"}));
  EXPECT_GT(steps, whole);  // Lanczos reserves a column for its remainder
}

/// A plan that leaves hardly a direction comes after all others, even those that do not fit.
TEST(RestartPenalty, DoesNotExcludeSlowerPlans) {
  const auto plan = [](double product_seconds, base::Index bytes) {
    job::Plan made;
    made.storage.format = product_seconds < 1 ? "sell" : "csr";
    made.setup_seconds = 1;
    made.product_seconds = product_seconds;
    made.demand.matrix = bytes;
    made.limit = 100;
    return made;
  };
  job::Plan cramped = plan(1, 50);
  cramped.solving.restart_penalty = 20;
  EXPECT_FALSE(job::PlanFallback({plan(2, 200), cramped}).passed_over());
  const auto quicker = job::PlanFallback({plan(2, 200), plan(0.5, 300), cramped}).passed_over();
  ASSERT_TRUE(quicker);
  EXPECT_EQ(quicker->from, "sell on the host");
  EXPECT_EQ(quicker->reason,
            "the matrix takes at least 300 B and the vectors 0 B, but 100 B are available");
  job::Plan unknown = plan(2, 200);
  unknown.product_seconds.reset();
  EXPECT_TRUE(job::PlanFallback({unknown, cramped}).passed_over());
}

}  // namespace
}  // namespace cisolve::app

#include "job/ranking/small_jobs.hpp"

#include <gtest/gtest.h>

#include "app/config/load.hpp"
#include "base/device.hpp"
#include "job/ranking/plan_fallback.hpp"
#include "job/run/run.hpp"
#include "tests/support/rates.hpp"

// Jobs done on the host before a device has started; without a device.
namespace cisolve::job {
namespace {

constexpr Index kAmple = Index{100} << 30;

Request generated(const std::vector<std::string>& settings = {}) {
  std::vector<app::Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(app::parse_override(setting));
  return app::make_configuration(ProblemSource::generate, overrides).request;
}

/// Rows of fifty elements.
MatrixEstimate rows_of_fifty(Index rows) {
  const sparse::RowProfile profile{.rows = rows,
                                   .columns = rows,
                                   .mean = 50,
                                   .deviation = 5,
                                   .fill = 0.9,
                                   .scatter = 0.3,
                                   .tile_parts = 0.4};
  return {.rows = static_cast<double>(rows), .nonzeros = profile.nonzeros(), .profile = profile};
}

Resources machine(int threads, Index memory = kAmple) {
  return {.host = memory, .device = kAmple, .rates = test::kH200, .threads = threads};
}

/// The first plan of a job on a host with two threads and a device.
Plan first(const Request& configuration, Index rows, const Resources& resources = machine(2)) {
  return rank_plans_before_a_start(configuration, rows_of_fifty(rows), resources).front();
}

TEST(SmallJobs, AreDoneOnTheHost) {
  const Plan plan = first(generated(), 2000);
  EXPECT_FALSE(plan.on_device);
  EXPECT_NE(plan.reason.find(kDoneBeforeAStart), std::string::npos) << plan.reason;
  EXPECT_NE(plan.reason.find(" per product after a setup of about "), std::string::npos)
      << plan.reason;
  const auto all = rank_plans_before_a_start(generated(), rows_of_fifty(2000), machine(2));
  EXPECT_TRUE(std::ranges::any_of(all, &Plan::on_device));
  EXPECT_FALSE(PlanFallback(all).passed_over());
}

TEST(SmallJobs, ExcludeLargeOnes) {
  EXPECT_TRUE(first(generated(), 200'000).on_device);
  EXPECT_TRUE(first(generated(), 5'000'000, machine(64)).on_device);
}

// Blocks of four vectors, as many as there are states for.
TEST(SmallJobs, ExcludeManyStates) {
  EXPECT_FALSE(first(generated({"solver.states=2"}), 2000).on_device);
  EXPECT_TRUE(first(generated({"solver.states=200"}), 2000).on_device);
}

// Interior states converge slowly, and a search for missed states takes as long again.
TEST(SmallJobs, ExcludeJobsForOtherThanTheLowestStates) {
  constexpr Index kRows = 12'000;
  EXPECT_FALSE(first(generated(), kRows).on_device);
  for (const char* setting : {"solver.near=0.5", "solver.follow=states.h5", "solver.search=full"}) {
    EXPECT_TRUE(first(generated({setting}), kRows).on_device) << setting;
    EXPECT_FALSE(first(generated({setting}), 100).on_device) << setting;
  }
}

TEST(SmallJobs, MayBeLargerOnAFastHost) {
  constexpr Index kRows = 30'000;
  EXPECT_TRUE(first(generated(), kRows, machine(1)).on_device);
  EXPECT_FALSE(first(generated(), kRows, machine(16)).on_device);
}

// Requested by name, to be measured, or with a budget for a device.
TEST(SmallJobs, ExcludeRequestsForADevice) {
  for (const char* setting : {"product.vectors=1", "device_memory=1 GiB"})
    EXPECT_TRUE(first(generated({setting}), 2000).on_device) << setting;
  EXPECT_TRUE(may_do_without_device(generated()));
  EXPECT_FALSE(may_do_without_device(generated({"solver.method=dense"})));
  for (const char* name : {"cuda", "cuda:1", "openmp", "reference"})
    EXPECT_FALSE(may_do_without_device(generated({base::concat("backend=", name)}))) << name;
}

// Such jobs may have expensive elements, as many as fit.
TEST(SmallJobs, HaveFewRowsIfNothingElseIsKnown) {
  const auto is_on_device = [](double rows) {
    return rank_plans_before_a_start(generated(), {rows, rows}, machine(1)).front().on_device;
  };
  EXPECT_FALSE(is_on_device(100));
  EXPECT_FALSE(is_on_device(500));
  EXPECT_TRUE(is_on_device(1000));
  EXPECT_TRUE(is_on_device(0));
}

// The host may lack memory and need the device after all; ranks have agreed on a device.
TEST(SmallJobs, LeaveFreeMemory) {
  EXPECT_FALSE(first(generated(), 2000, machine(2, 16'000'000)).on_device);
  EXPECT_TRUE(first(generated(), 2000, machine(2, 2'000'000)).on_device);
  EXPECT_TRUE(first(generated(), 2000, machine(2).among({.ranks = 2})).on_device);
}

/// Records whether a problem was small when it was opened.
class SmallnessListener : public Listener {
 public:
  void opened(const OpenProblem& problem) override { is_small = problem.is_small; }
  bool is_small = false;
};

// Whether or not there is a device, none is requested.
TEST(SmallJobs, DoNotInitialiseADevice) {
  const auto is_small = [](const Request& configuration) {
    SmallnessListener opening;
    const Outcome found = run(configuration, opening);
    EXPECT_TRUE(found.is_good());
    std::string reason;
    const bool on_host = opening.is_small || base::cuda::device_count(reason) == 0;
    EXPECT_EQ(found.backend->is_host(), on_host);
    return opening.is_small;
  };
  // This many rows are not small without an analysis.
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(),
                {"problem.generate.rows=5000", "problem.generate.symmetric=true", "threads=2"});
    return generated(more);
  };
  const bool waits = base::cuda::is_built() && !base::Backend::has_used_device(0);
  EXPECT_EQ(is_small(with({})), waits);
  EXPECT_EQ(is_small(with({"problem.generate.pattern=diagonals"})), waits);
  EXPECT_EQ(is_small(with({"storage.elements=precomputed"})), waits);
  // Rows with a named format are not analysed; then the device is awaited.
  EXPECT_FALSE(is_small(with({"storage.format=csr"})));
  EXPECT_FALSE(is_small(with({"device_memory=1 GiB"})));
}

// The work between its products alone takes longer: the device starts at once.
TEST(SmallJobs, StartADeviceAtOnceForTooManyRows) {
  for (const int threads : {1, 2, 16}) {
    double rows = 1000;
    while (!takes_longer_than_a_start(generated(), rows, threads)) rows *= 2;
    EXPECT_GT(rows, 10'000) << threads;
    EXPECT_LT(rows, 1'000'000) << threads;
    const MatrixEstimate none_stored{
        .rows = rows, .nonzeros = rows, .profile = rows_of_fifty(1).profile};
    const auto plans = rank_plans_before_a_start(generated(), none_stored, machine(threads));
    EXPECT_TRUE(plans.front().on_device) << threads;
  }
  EXPECT_TRUE(takes_longer_than_a_start(generated({"solver.states=100"}), 5000, 1));
  EXPECT_FALSE(takes_longer_than_a_start(generated({"solver.states=100"}), 5000, 16));
}

TEST(SmallJobs, UseADeviceThatHasStarted) {
  EXPECT_TRUE(rank_plans(generated(), rows_of_fifty(2000), machine(2)).front().on_device);
}

}  // namespace
}  // namespace cisolve::job

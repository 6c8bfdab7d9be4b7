#include "job/problem/computed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "job/plan/computing.hpp"
#include "job/run/run.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/rates.hpp"

// Jobs whose elements are computed in each product, beside those that store them.
namespace cisolve::job {
namespace {

using ::testing::HasSubstr;

class ComputedJobs : public test::BackendTest {};

const std::string kWater = std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump";

Request water(const std::string& elements) {
  Request request;
  request.source = ProblemSource::fcidump;
  request.fcidump = kWater;
  request.backend = test::backend_name();
  request.elements.path = elements;
  request.solver.states = 3;
  return request;
}

void expect_equal_jobs(Request request) {
  request.elements.path = kPrecomputed;
  const Outcome stored = run(request);
  request.elements.path = kOnTheFly;
  const Outcome computed = run(request);
  ASSERT_TRUE(stored.is_good());
  ASSERT_TRUE(computed.is_good());
  EXPECT_EQ(computed.plan.elements, kOnTheFly);
  EXPECT_EQ(computed.product.format, kOnTheFly);
  ASSERT_EQ(computed.result->states.size(), stored.result->states.size());
  for (std::size_t k = 0; k < stored.result->states.size(); ++k)
    EXPECT_NEAR(computed.result->states[k].energy, stored.result->states[k].energy, 1e-10);
  EXPECT_TRUE(computed.verification->passed);
}

TEST_F(ComputedJobs, FindTheSameStates) { expect_equal_jobs(water(kOnTheFly)); }

TEST_F(ComputedJobs, FindTheSameStatesWhereAPartitionPutsRowsFirst) {
  Request request = water(kOnTheFly);
  request.space.kind = "cisd";
  request.space.partition = "lowest: 20";
  expect_equal_jobs(request);
}

TEST_F(ComputedJobs, FindTheSameStatesOfOneSpin) {
  Request request = water(kOnTheFly);
  request.space.spin = 1;
  expect_equal_jobs(request);
}

TEST_F(ComputedJobs, FindTheSameStatesWithCodedValues) {
  Request request = water(kCoded);
  const Outcome coded = run(request);
  request.elements.path = kPrecomputed;
  const Outcome stored = run(request);
  ASSERT_TRUE(coded.is_good());
  for (std::size_t k = 0; k < stored.result->states.size(); ++k)
    EXPECT_NEAR(coded.result->states[k].energy, stored.result->states[k].energy, 1e-10);
}

TEST_F(ComputedJobs, SayWhetherTheValuesOfALatticeAreCoded) {
  Request request;
  request.source = ProblemSource::lattice;
  request.lattice.columns = 6;
  request.backend = test::backend_name();
  request.elements.path = kCoded;
  const Outcome coded = run(request);
  ASSERT_TRUE(coded.is_good());
  EXPECT_EQ(coded.plan.elements, kCoded);
  EXPECT_EQ(coded.product.format, "sell");
  request.elements.path = kPrecomputed;
  EXPECT_EQ(run(request).plan.elements, kPrecomputed);
}

TEST_F(ComputedJobs, CheckTheirProductAgainstTheRows) {
  Request request = water(kOnTheFly);
  request.space.kind = "cisd";
  request.space.partition = "lowest: 20";
  request.product.wanted = true;
  request.product.vectors = 3;
  request.product.repeat = 2;
  const Outcome found = run(request);
  EXPECT_TRUE(found.product.check.passed);
  EXPECT_GT(found.product.nonzeros, 1000);
  EXPECT_TRUE(found.is_good());
}

TEST(Computed, IsRefusedWhereThereAreNoDeterminants) {
  Request request;
  request.backend = "openmp";
  request.generate.rows = 50;
  request.generate.symmetric = true;
  request.elements.path = kOnTheFly;
  try {
    run(request);
    FAIL() << "computed elements of a matrix";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.fault(), base::Fault::configuration);
    EXPECT_THAT(error.what(), HasSubstr("no determinants"));
  }
}

/// 10 million rows of 1000.
Counts large(bool by_blocks) {
  Counts counts{1e7, 1e10};
  counts.profile = sparse::RowProfile{.rows = 10'000'000, .columns = 10'000'000, .mean = 1000};
  counts.work = ci::ProductWork{
      .by_blocks = by_blocks, .moves = 9e9, .streams = 1e9, .copies = 1e9, .largest = 1e6};
  return counts;
}

constexpr Index kMuch = Index{1} << 50;

std::string first_plan(const Request& request, const Counts& counts, const Resources& resources) {
  return rank_plans(request, counts, resources).front().text();
}

TEST(Computed, ComesFirstWhereASolutionIsDoneSooner) {
  const Resources device{kMuch, kMuch, test::kH200, 16};
  Request request = water("auto");
  request.backend = "auto";
  request.solver.states = 1;
  EXPECT_EQ(first_plan(request, large(true), device), "computed on the device");
  EXPECT_NE(first_plan(request, large(false), device), "computed on the device");
  Counts slow = large(true);
  slow.work->largest = 1e9;  // one item keeps a multiprocessor busy for half a second
  EXPECT_NE(first_plan(request, slow, device), "computed on the device");
  const Resources host{.host = kMuch, .threads = 2};
  EXPECT_EQ(first_plan(request, large(true), host), "computed on the host");
}

TEST(Computed, IsThereWhereNothingElseFits) {
  Request request = water("auto");
  const std::vector<Plan> plans = rank_plans(request, large(false), {.host = Index{1} << 30});
  EXPECT_EQ(plans[first_fitting(plans)].text(), "computed on the host");
}

TEST(Computed, NeverComesInPlaceOfAFormatThatIsNamed) {
  Request request = water("auto");
  request.storage.format = "csr";
  for (const Plan& plan : rank_plans(request, large(true), {.host = kMuch}))
    EXPECT_FALSE(plan.computes()) << plan.text();
  request.elements.path = kPrecomputed;
  request.storage.format = "auto";
  for (const Plan& plan : rank_plans(request, large(true), {.host = kMuch}))
    EXPECT_FALSE(plan.computes()) << plan.text();
}

}  // namespace
}  // namespace cisolve::job

#include "job/plan/plan.hpp"
#include "job/problem/product_drafts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "job/ranking/calibration.hpp"
#include "job/ranking/rank_plans.hpp"
#include "job/request/elements.hpp"
#include "job/run/run.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/rates.hpp"

// Jobs whose elements are computed in each product, compared with those that store them.
namespace cisolve::job {
namespace {

using test::kMuch;
using ::testing::HasSubstr;

class ComputedJobs : public test::BackendTest {};

const std::string kWater = std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump";

Request water_by(ElementPath elements) {
  Request request;
  request.source = ProblemSource::fcidump;
  request.fcidump = kWater;
  request.backend = *base::BackendChoice::named(test::backend_name());
  request.elements.path = elements;
  request.solver.states = 3;
  return request;
}

/// Compares the results of a request with and without stored elements.
void expect_equal_jobs(const Request& request) {
  Request storing = request;
  storing.elements.path = ElementPath::precomputed;
  const Outcome stored = run(storing);
  const Outcome computed = run(request);
  ASSERT_TRUE(stored.is_good());
  ASSERT_TRUE(computed.is_good());
  EXPECT_EQ(computed.plan->elements(), request.elements.path);
  EXPECT_EQ(computed.product.format, word_of(request.elements.path));
  ASSERT_EQ(computed.result->states.size(), stored.result->states.size());
  for (std::size_t k = 0; k < stored.result->states.size(); ++k)
    EXPECT_NEAR(computed.result->states[k].energy, stored.result->states[k].energy, 1e-10);
  EXPECT_TRUE(computed.verification->passed);
}

TEST_F(ComputedJobs, FindTheSameStates) {
  expect_equal_jobs(water_by(ElementPath::on_the_fly));
  expect_equal_jobs(water_by(ElementPath::factorised));
}

TEST_F(ComputedJobs, FindTheSameStatesOfOneIrrepOrSpinWithStringMatrices) {
  Request request = water_by(ElementPath::factorised);
  request.space.spin = 1;
  request.space.partition = {PartitionBy::lowest, 20};
  expect_equal_jobs(request);
  request.space.spin.reset();
  request.space.irrep = 2;
  expect_equal_jobs(request);
}

TEST_F(ComputedJobs, FindTheSameStatesIfAPartitionReordersRows) {
  Request request = water_by(ElementPath::on_the_fly);
  request.space.kind = SpaceKind::cisd;
  request.space.partition = {PartitionBy::lowest, 20};
  expect_equal_jobs(request);
}

TEST_F(ComputedJobs, FindTheSameStatesOfOneSpin) {
  Request request = water_by(ElementPath::on_the_fly);
  request.space.spin = 1;
  expect_equal_jobs(request);
}

TEST_F(ComputedJobs, FindTheSameStatesWithCodedValues) {
  Request request = water_by(ElementPath::coded);
  const Outcome coded = run(request);
  request.elements.path = ElementPath::precomputed;
  const Outcome stored = run(request);
  ASSERT_TRUE(coded.is_good());
  for (std::size_t k = 0; k < stored.result->states.size(); ++k)
    EXPECT_NEAR(coded.result->states[k].energy, stored.result->states[k].energy, 1e-10);
}

TEST_F(ComputedJobs, SayWhetherTheValuesOfALatticeAreCoded) {
  Request request;
  request.source = ProblemSource::lattice;
  request.lattice.columns = 6;
  request.backend = *base::BackendChoice::named(test::backend_name());
  request.elements.path = ElementPath::coded;
  const Outcome coded = run(request);
  ASSERT_TRUE(coded.is_good());
  EXPECT_EQ(coded.plan->elements(), ElementPath::coded);
  EXPECT_EQ(coded.product.format, "sell");
  request.elements.path = ElementPath::precomputed;
  EXPECT_EQ(run(request).plan->elements(), ElementPath::precomputed);
}

TEST_F(ComputedJobs, CheckTheirProductAgainstTheRows) {
  Request request = water_by(ElementPath::on_the_fly);
  request.space.kind = SpaceKind::cisd;
  request.space.partition = {PartitionBy::lowest, 20};
  request.product.wanted = true;
  request.product.vectors = 3;
  request.product.repeat = 2;
  const Outcome found = run(request);
  EXPECT_TRUE(found.product.check.passed);
  EXPECT_GT(found.product.nonzeros, 1000);
  EXPECT_TRUE(found.is_good());
}

TEST(ProductDrafts, IsRefusedWithoutDeterminants) {
  Request request;
  request.backend = base::BackendKind::openmp;
  request.generate.rows = 50;
  request.generate.symmetric = true;
  request.elements.path = ElementPath::on_the_fly;
  try {
    run(request);
    FAIL() << "computed elements of a matrix";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::configuration);
    EXPECT_THAT(error.what(), HasSubstr("no determinants"));
  }
}

TEST(ProductDrafts, HasSameSpinMatricesIfStringListsAreEqualOrDisjoint) {
  Request request;
  request.source = ProblemSource::fcidump;
  request.fcidump = kWater;
  request.backend = base::BackendKind::openmp;
  request.elements.path = ElementPath::factorised;
  request.space.kind = SpaceKind::cisd;
  try {
    run(request);
    FAIL() << "string matrices of singles and doubles";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::configuration);
    EXPECT_THAT(error.what(), HasSubstr("storage.elements is factorised"));
    EXPECT_THAT(error.what(), HasSubstr("on-the-fly"));
  }
}

/// 10 million rows of 1000.
MatrixEstimate large(bool by_blocks) {
  MatrixEstimate counts{1e7, 1e10};
  counts.profile = sparse::RowProfile{.rows = 10'000'000, .columns = 10'000'000, .mean = 1000};
  if (by_blocks)
    counts.work = {.by_blocks = true, .moves = 9e9, .streams = 1e9, .copies = 1e9, .largest = 1e6};
  else
    counts.work = {.walk = {.connections = 1e10, .candidates = 2e10, .pairs = 2e10}};
  return counts;
}

std::string first_plan(const Request& request, const MatrixEstimate& counts,
                       const Resources& resources) {
  return rank_plans(request, counts, resources).front().text();
}

TEST(ProductDrafts, ComesFirstIfTheSolutionIsFaster) {
  const Resources device{kMuch, kMuch, test::kH200, 16};
  Request request = water_by(ElementPath::automatic);
  request.backend = {};
  request.solver.states = 1;
  EXPECT_EQ(first_plan(request, large(true), device), "computed on the device");
  EXPECT_NE(first_plan(request, large(false), device), "computed on the device");
  MatrixEstimate slow = large(true);
  slow.work->largest = 1e9;  // one item keeps a multiprocessor busy for half a second
  EXPECT_NE(first_plan(request, slow, device), "computed on the device");
  const Resources host{.host = kMuch, .threads = 2};
  EXPECT_EQ(first_plan(request, large(true), host), "hybrid on the host");
  MatrixEstimate light = large(true);
  light.work->moves = 6e9;
  EXPECT_EQ(first_plan(request, light, host), "computed on the host");
}

/// For 10 million rows of 1000, formats that fit nowhere do not precede computing all elements, or
/// all but a part, which is faster than the codes that would fit.
TEST(ProductDrafts, IsRankedAmongFormatsByPredictedTime) {
  Request request = water_by(ElementPath::automatic);
  request.backend = base::BackendKind::cuda;
  request.solver.states = 1;
  MatrixEstimate counts = large(true);
  counts.profile->scatter = 0.2;
  counts.profile->tile_parts = 0.1;
  counts.work->moves = 3.4e10;  // slower than slices and CSR
  const auto plans = rank_plans(request, counts, {kMuch, Index{70} << 30, test::kH200, 16});
  EXPECT_TRUE(std::ranges::is_sorted(plans, std::ranges::less{}, &Plan::whole_seconds));
  EXPECT_NE(plans.front().text(), "computed on the device");
  std::vector<std::string> fitting;
  for (const Plan& plan : plans)
    if (plan.fits()) fitting.push_back(plan.text());
  ASSERT_EQ(fitting.size(), 3);
  EXPECT_EQ(fitting[0], "partly sell on the device");
  EXPECT_EQ(fitting[1], "computed on the device");
  EXPECT_THAT(fitting[2], HasSubstr("coded values"));
}

/// More rows than a stored column can number.
TEST(ProductDrafts, IsTheOnlyPlanForMoreRowsThanCanBeStored) {
  const Resources resources{kMuch, kMuch, test::kH200, 16};
  Request request = water_by(ElementPath::automatic);
  request.backend = {};
  const auto plans = [&](double rows) { return rank_plans(request, {rows, rows}, resources); };
  constexpr double kMost = base::kLargestDimension;
  for (const Plan& plan : plans(kMost + 1)) EXPECT_FALSE(plan.stores()) << plan.text();
  EXPECT_EQ(plans(kMost + 1).size(), 2u);
  EXPECT_TRUE(plans(kMost).front().stores());
  request.elements.path = ElementPath::precomputed;
  EXPECT_FALSE(plans(kMost + 1).empty());
}

TEST(ProductDrafts, IsOfferedIfNothingElseFits) {
  Request request = water_by(ElementPath::automatic);
  const std::vector<Plan> plans = rank_plans(request, large(false), {.host = Index{1} << 30});
  EXPECT_EQ(plans[first_fitting(plans)].text(), "computed on the host");
}

/// A small calibration: its factors are only checked to be possible.
TEST(Calibration, FindsPlausibleRates) {
  const MachineFactors factors = calibrate(base::Backend::openmp(2), {6, 3});
  EXPECT_TRUE(factors.is_measured);
  for (const double found :
       {factors.stored, factors.coded, factors.blocks, factors.rows, factors.making}) {
    EXPECT_TRUE(is_possible_factor(found)) << found;
    EXPECT_NE(found, 1);  // nothing was left out
  }
}

/// Each factor applies to its own path.
TEST(ProductDrafts, IsPredictedWithTheFactorsOfTheMachine) {
  Request request = water_by(ElementPath::automatic);
  request.backend = {};
  const auto seconds = [&](const MachineFactors& factors, bool by_blocks, const std::string& text) {
    const Resources resources{kMuch, kMuch, test::kH200, 16, factors, factors};
    for (const Plan& plan : rank_plans(request, large(by_blocks), resources))
      if (plan.text() == text) return std::pair(*plan.product_seconds, *plan.setup_seconds);
    return std::pair(-1.0, -1.0);
  };
  const MachineFactors slow{.stored = 2, .coded = 3, .blocks = 5, .rows = 7, .making = 11};
  for (const std::string place : {" on the device", " on the host"}) {
    const auto ratio = [&](bool by_blocks, const std::string& format) {
      return seconds(slow, by_blocks, format + place).first /
             seconds({}, by_blocks, format + place).first;
    };
    EXPECT_NEAR(ratio(true, "computed"), 5, 1e-9);
    EXPECT_NEAR(ratio(false, "computed"), 7, 1e-9);
    const std::string format = place == " on the host" ? "hybrid" : "csr";
    EXPECT_NEAR(ratio(true, format), 2, 1e-9);
    EXPECT_NEAR(
        seconds(slow, true, format + place).second / seconds({}, true, format + place).second, 11,
        1e-9);
  }
  const std::string codes = "tiled, coded values on the device";
  EXPECT_NEAR(seconds(slow, true, codes).first / seconds({}, true, codes).first, 3, 1e-9);
}

TEST(ProductDrafts, NeverReplacesARequestedFormat) {
  Request request = water_by(ElementPath::automatic);
  request.storage.format = "csr";
  for (const Plan& plan : rank_plans(request, large(true), {.host = kMuch}))
    EXPECT_TRUE(plan.stores()) << plan.text();
  request.elements.path = ElementPath::precomputed;
  request.storage.format = "auto";
  for (const Plan& plan : rank_plans(request, large(true), {.host = kMuch}))
    EXPECT_TRUE(plan.stores()) << plan.text();
}

}  // namespace
}  // namespace cisolve::job

#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "ci/hamiltonian/on_the_fly/partly_stored.hpp"
#include "job/methods/methods.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "job/plan/plan.hpp"
#include "job/ranking/rank_plans.hpp"
#include "job/run/run.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/rates.hpp"
#include "tests/support/scattering.hpp"

// Jobs that store some rows of their matrix and compute the others, and when they do so.
namespace cisolve::job {
namespace {

using ::testing::HasSubstr;

class PartlyStoredJobs : public test::BackendTest {};

Request mixed_water(std::optional<double> share) {
  Request request;
  request.source = ProblemSource::fcidump;
  request.fcidump = std::string(CISOLVE_SOURCES) + "/tests/data/h2o_sto3g.fcidump";
  request.backend = *base::BackendChoice::named(test::backend_name());
  request.elements.path = ElementPath::mixed;
  request.elements.share = share;
  request.storage.format = "hybrid";
  request.solver.states = 3;
  return request;
}

void expect_the_states_of_stored_elements(Request request) {
  const Outcome mixed = run(request);
  request.elements.path = ElementPath::precomputed;
  const Outcome stored = run(request);
  ASSERT_TRUE(stored.is_good());
  ASSERT_TRUE(mixed.is_good());
  EXPECT_EQ(mixed.plan->elements(), ElementPath::mixed);
  EXPECT_EQ(mixed.product.format, "hybrid");
  ASSERT_TRUE(mixed.product.stored);
  EXPECT_GT(mixed.product.stored->rows, 0);
  EXPECT_LT(mixed.product.stored->nonzeros, mixed.product.nonzeros);
  EXPECT_EQ(mixed.product.nonzeros, stored.product.nonzeros);
  EXPECT_LT(mixed.product.stored->bytes, mixed.product.memory.held);
  ASSERT_EQ(mixed.result->states.size(), stored.result->states.size());
  for (std::size_t k = 0; k < stored.result->states.size(); ++k)
    EXPECT_NEAR(mixed.result->states[k].energy, stored.result->states[k].energy, 1e-10);
  EXPECT_TRUE(mixed.verification->passed);
}

TEST_F(PartlyStoredJobs, FindTheStates) { expect_the_states_of_stored_elements(mixed_water(0.5)); }

TEST_F(PartlyStoredJobs, FindTheStatesIfAPartitionReordersRows) {
  Request request = mixed_water(0.5);
  request.space.kind = SpaceKind::cisd;
  request.space.partition = {PartitionBy::lowest, 20};
  expect_the_states_of_stored_elements(request);
}

TEST_F(PartlyStoredJobs, FindTheStatesOfOneSpin) {
  Request request = mixed_water(0.3);
  request.space.spin = 1;
  expect_the_states_of_stored_elements(request);
}

TEST_F(PartlyStoredJobs, MayStoreAllOrNoElements) {
  const Outcome nothing = run(mixed_water(0));
  ASSERT_TRUE(nothing.is_good());
  EXPECT_EQ(nothing.product.stored->rows, 0);
  const Outcome all = run(mixed_water(std::nullopt));
  ASSERT_TRUE(all.is_good());
  EXPECT_EQ(all.product.stored->rows, 441);
  EXPECT_EQ(all.product.stored->nonzeros, all.product.nonzeros);
  for (std::size_t k = 0; k < all.result->states.size(); ++k)
    EXPECT_NEAR(all.result->states[k].energy, nothing.result->states[k].energy, 1e-10);
}

TEST_F(PartlyStoredJobs, ObeyTheBoundary) {
  Request request = mixed_water(0.6);
  request.storage.boundary = 7;
  const Outcome found = run(request);
  ASSERT_TRUE(found.is_good());
  EXPECT_EQ(found.product.boundary, 7);
}

TEST_F(PartlyStoredJobs, CheckTheirProductAgainstTheRows) {
  Request request = mixed_water(0.5);
  request.space.kind = SpaceKind::cisd;
  request.space.partition = {PartitionBy::lowest, 20};
  request.product.wanted = true;
  request.product.vectors = 3;
  request.product.repeat = 2;
  const Outcome found = run(request);
  EXPECT_TRUE(found.product.check.passed);
  EXPECT_TRUE(found.is_good());
}

TEST(PartlyStoredPlans, IsRefusedWithoutDeterminants) {
  Request request;
  request.backend = base::BackendKind::openmp;
  request.generate.rows = 50;
  request.generate.symmetric = true;
  request.elements.path = ElementPath::mixed;
  try {
    run(request);
    FAIL() << "mixed elements of a matrix";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::configuration);
    EXPECT_THAT(error.what(), HasSubstr("no determinants"));
  }
}

constexpr Index kBillion = 1'000'000'000;

/// 10 million rows of 1000: 100 GB in tiles. Computing them takes 9 ms, or a second if one item
/// keeps a multiprocessor busy.
MatrixEstimate counts_of(double largest) {
  MatrixEstimate counts{1e7, 1e10};
  counts.profile = sparse::RowProfile{.rows = 10'000'000, .columns = 10'000'000, .mean = 1000};
  counts.work = ci::ComputedCost{
      .by_blocks = true, .moves = 9e9, .streams = 1e9, .copies = 1e9, .largest = largest};
  return counts;
}

std::vector<Plan> plans_on_device(Index bytes, double largest,
                                  ElementPath elements = ElementPath::automatic,
                                  std::optional<sparse::DeviceRates> rates = test::kH200) {
  Request request = mixed_water(std::nullopt);
  request.elements.path = elements;
  request.storage.format = "auto";
  request.backend = base::BackendKind::cuda;
  request.solver.states = 1;
  return rank_plans(request, counts_of(largest), {1 << 20, bytes, rates, 16});
}

const Plan* mixed_in(const std::vector<Plan>& plans) {
  const auto found = std::ranges::find(plans, &kMixed, &Plan::method);
  return found == plans.end() ? nullptr : &*found;
}

TEST(PartlyStoredPlans, IsOfferedIfStoringIsFasterAndDoesNotFit) {
  constexpr double slow = 2e9;
  EXPECT_EQ(mixed_in(plans_on_device(400 * kBillion, slow)), nullptr);
  EXPECT_EQ(mixed_in(plans_on_device(3 * kBillion, slow)),
            nullptr);  // little more than the vectors
  EXPECT_EQ(mixed_in(plans_on_device(30 * kBillion, 1e6)),
            nullptr);  // computing all elements is faster
  const std::vector<Plan> plans = plans_on_device(30 * kBillion, slow);
  const Plan* mixed = mixed_in(plans);
  ASSERT_NE(mixed, nullptr);
  EXPECT_EQ(&plans[first_fitting(plans)], mixed);
  EXPECT_EQ(mixed->method, &kMixed);
  EXPECT_FALSE((mixed + 1)->stores());
  EXPECT_GT(mixed->storage.share->bytes, 20 * kBillion);
  EXPECT_LT(mixed->storage.share->bytes + mixed->demand.vectors, 30 * kBillion);
}

// Then the stored fraction of its 102 GB alone decides whether mixing pays.
TEST(PartlyStoredPlans, StoresAtLeastATwentiethIfSpeedsAreUnknown) {
  const auto stored_of = [](Index bytes) {
    const std::vector<Plan> plans =
        plans_on_device(bytes, 2e9, ElementPath::automatic, std::nullopt);
    const Plan* mixed = mixed_in(plans);
    return mixed == nullptr ? 0 : mixed->storage.share->bytes;
  };
  EXPECT_EQ(stored_of(6 * kBillion), 0);
  EXPECT_GT(stored_of(9 * kBillion), 5 * kBillion);
}

TEST(PartlyStoredPlans, TakesTimeBetweenStoringAndComputing) {
  constexpr double slow = 2e9;
  std::vector<double> seconds;
  for (const Index bytes : {10 * kBillion, 20 * kBillion, 39 * kBillion})
    seconds.push_back(*mixed_in(plans_on_device(bytes, slow, ElementPath::mixed))->product_seconds);
  EXPECT_GT(seconds[0], seconds[1]);
  EXPECT_GT(seconds[1], seconds[2]);
  const std::vector<Plan> plans = plans_on_device(400 * kBillion, slow);
  const std::vector<Plan> mixed = plans_on_device(39 * kBillion, slow, ElementPath::mixed);
  const auto stored = std::ranges::find_if(plans, [&](const Plan& plan) {
    return plan.storage.format == mixed_in(mixed)->storage.format &&
           plan.storage.values == mixed_in(mixed)->storage.values;
  });
  ASSERT_NE(stored, plans.end());
  EXPECT_GT(seconds[2], *stored->product_seconds);
  EXPECT_LT(seconds[0], *plans.back().product_seconds);
}

/// The ranking holds for any memory: if only a part fits, and if coded elements all fit but take
/// longer to set up than a stored part.
TEST(PartlyStoredPlans, IsRankedAmongFormatsByPredictedTime) {
  for (const double largest : {1.3e8, 2e9}) {
    int mixed = 0;
    for (Index billions = 20; billions <= 160; ++billions) {
      const std::vector<Plan> plans = plans_on_device(billions * kBillion, largest);
      EXPECT_TRUE(std::ranges::is_sorted(plans, std::ranges::less{}, &Plan::whole_seconds));
      mixed += mixed_in(plans) != nullptr ? 1 : 0;
    }
    EXPECT_GT(mixed, 20) << largest;
  }
}

TEST(PartlyStoredPlans, SetsUpTheStoredPartAndAllTables) {
  const Request request = mixed_water(std::nullopt);
  const MatrixEstimate counts = counts_of(2e9);
  Resources resources{1 << 20, 30 * kBillion, test::kH200, 16};
  const PlanInput input{request, counts, resources};
  const ProductForm tiled = stored_form({.format = "tiled", .vectors = 1});
  ProductForm quarter{&kMixed, tiled.storage};
  quarter.storage.share = {.elements = 0.25, .bytes = 400 * kBillion};
  const ProductCost stored = kPrecomputed.cost(input, tiled, true);
  const ProductCost computed = kOnTheFly.cost(input, {&kOnTheFly}, true);
  const ProductCost mixed = kMixed.cost(input, quarter, true);
  EXPECT_DOUBLE_EQ(mixed.product_seconds.value(),
                   0.25 * stored.product_seconds.value() + 0.75 * computed.product_seconds.value());
  EXPECT_DOUBLE_EQ(mixed.setup_seconds.value(),
                   0.25 * stored.setup_seconds.value() + computed.setup_seconds.value());
  EXPECT_NEAR(static_cast<double>(mixed.bytes - computed.bytes),
              0.25 * counts.nonzeros * ci::bytes_of_nonzero(tiled.storage), 1);
  resources.rates.reset();
  EXPECT_FALSE(kMixed.cost(input, quarter, true).product_seconds);
}

TEST(PartlyStoredPlans, IsTheOnlyPlanIfRequested) {
  for (const Plan& plan : plans_on_device(30 * kBillion, 1e6, ElementPath::mixed)) {
    EXPECT_EQ(plan.method, &kMixed) << plan.text();
    EXPECT_TRUE(plan.fits()) << plan.text();
    EXPECT_THAT(plan.text(), HasSubstr("partly "));
  }
}

// 14,400 rows of 610: 105 MB, and vectors of 115 kB.
TEST(PartlyStoredPlans, StoresThePartOfAMatrixThatFits) {
  Request request;
  request.source = ProblemSource::integrals;
  request.integrals = test::scattering(10);
  request.backend = base::BackendKind::openmp;
  request.threads = 2;  // a workspace for each thread
  request.memory = Index{60} << 20;
  request.elements.path = ElementPath::mixed;
  const Outcome found = run(request);
  EXPECT_EQ(found.plan->elements(), ElementPath::mixed);
  EXPECT_GT(found.product.stored->rows, 1000);
  EXPECT_LT(found.product.stored->rows, 14'400);
  EXPECT_LT(found.product.memory.held, *request.memory);
  EXPECT_TRUE(found.is_good());
  request.elements.path = ElementPath::precomputed;
  EXPECT_THROW(run(request), base::Error);
}

TEST(PartlyStoredPlans, NeverReplacesARequestedMethod) {
  for (const ElementPath elements :
       {ElementPath::precomputed, ElementPath::coded, ElementPath::on_the_fly})
    EXPECT_EQ(mixed_in(plans_on_device(30 * kBillion, 2e9, elements)), nullptr)
        << word_of(elements);
}

}  // namespace
}  // namespace cisolve::job

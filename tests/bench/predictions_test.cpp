#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "job/methods/methods.hpp"
#include "job/problem/product_drafts.hpp"
#include "job/ranking/rank_plans.hpp"
#include "tests/support/rates.hpp"

// Predictions for plans, compared with measured plans: the records of bench_plans, which also give
// the estimates for the rows.
namespace cisolve::job {
namespace {

using nlohmann::json;

constexpr Index kAnyBytes = Index{1} << 50;

struct Record {
  json plans;
  Resources resources;
};

Record record_of(const char* file, const Resources& resources) {
  std::ifstream in(std::filesystem::path(CISOLVE_SOURCES) / "bench/results" / file);
  EXPECT_TRUE(in);
  return {json::parse(in)["plans"], resources};
}

std::vector<Record> records() {
  const Index device = (Index{140} << 30) / 20 * 19;
  return {record_of("plans_h200.json", {kAnyBytes, device, test::kH200, 16}),
          record_of("plans_host_2_cores.json", {.host = kAnyBytes, .threads = 2})};
}

MatrixEstimate counts_of(const json& plan) {
  const json& record = plan["profile"];
  const json& work = plan["work"];
  MatrixEstimate counts;
  counts.profile = sparse::RowProfile{.rows = record["rows"],
                                      .columns = record["columns"],
                                      .vectors = plan["vectors"],
                                      .mean = record["mean"],
                                      .deviation = record["deviation"],
                                      .longest = record["longest"],
                                      .fill = record["fill"],
                                      .scatter = record["scatter"],
                                      .tile_parts = record["tile_parts"],
                                      .values = record["values"],
                                      .off_diagonal_values = record["values_beside"]};
  counts.rows = static_cast<double>(counts.profile->rows);
  counts.nonzeros = counts.profile->nonzeros();
  counts.work = ci::ComputedCost{.by_blocks = work["by_blocks"],
                                 .moves = work["moves"],
                                 .streams = work["streams"],
                                 .copies = work["copies"],
                                 .largest = work["largest"],
                                 .bytes = work["table_bytes"],
                                 .walk = {.connections = work["connections"],
                                          .candidates = work["candidates"],
                                          .pairs = work["pairs"],
                                          .look_ups = work["look_ups"],
                                          .has_all_betas = work["has_all_betas"],
                                          .together = work.value("together", 0.0)}};
  return counts;
}

Request request_of(const json& plan, ElementPath elements, bool on_device) {
  const std::string problem = plan["problem"];
  Request request;
  const bool is_lattice = problem.starts_with("ring") || problem.starts_with("plane");
  request.source = is_lattice ? ProblemSource::lattice : ProblemSource::fcidump;
  request.backend = on_device ? base::BackendKind::cuda : base::BackendKind::openmp;
  request.elements.path = elements;
  request.solver.states = plan["vectors"];
  return request;
}

ElementPath path_of(const json& plan) {
  return choice_named<ElementPath>(plan["elements"].get<std::string>()).value();
}

std::vector<Plan> ranked(const json& plan, ElementPath elements, const Resources& resources) {
  MatrixEstimate counts = counts_of(plan);
  if (elements == ElementPath::automatic && counts.nonzeros < kLeastElements) counts.work.reset();
  return rank_plans(request_of(plan, elements, resources.device.has_value()), counts, resources);
}

TEST(Predictions, OfProductsAreWithinThirtyPerCent) {
  for (const Record& record : records())
    for (const json& plan : record.plans) {
      const auto plans = ranked(plan, path_of(plan), record.resources);
      const auto found = std::ranges::find_if(
          plans, [&](const Plan& one) { return one.text() == plan["plan"].get<std::string>(); });
      SCOPED_TRACE(plan["problem"].get<std::string>() + ", " + plan["vectors"].dump() +
                   " vectors: " + plan["plan"].get<std::string>());
      ASSERT_NE(found, plans.end());
      ASSERT_TRUE(found->product_seconds);
      const double ratio = *found->product_seconds / plan["product_s"].get<double>();
      EXPECT_GT(ratio, 1 / 1.3);
      EXPECT_LT(ratio, 1.3);
    }
}

TEST(Predictions, OfRowsBuiltTogetherAreWithinThirtyPerCent) {
  std::ifstream in(std::filesystem::path(CISOLVE_SOURCES) /
                   "bench/results/scattered_lists_host.json");
  ASSERT_TRUE(in);
  const json measurements = json::parse(in);
  int compared = 0;
  for (const json& plan : measurements["plans"]) {
    SCOPED_TRACE(plan["problem"].get<std::string>() + ": " + plan["plan"].get<std::string>());
    for (const Record& record : records()) {
      if (record.resources.device) continue;
      const bool is_computed = plan["elements"] == "on-the-fly";
      const Plan found = ranked(plan, path_of(plan), record.resources).front();
      const char* const measured = is_computed ? "product_s" : "making_s";
      const double predicted = (is_computed ? found.product_seconds : found.setup_seconds).value();
      const double ratio = predicted / plan[measured].get<double>();
      EXPECT_GT(ratio, 1 / 1.3);
      EXPECT_LT(ratio, 1.3);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 6);
}

TEST(Predictions, OfStringMatricesAreWithinThirtyPerCent) {
  const Record record = records().front();
  std::ifstream in(std::filesystem::path(CISOLVE_SOURCES) /
                   "bench/results/factorised_products_h200.json");
  ASSERT_TRUE(in);
  const json measurements = json::parse(in);
  int compared = 0;
  for (const json& product : measurements["products"])
    for (const bool has_parity : {true, false}) {
      const json& measured = product[has_parity ? "even_s" : "any_s"];
      SCOPED_TRACE(product["problem"].get<std::string>() + (has_parity ? ", even" : ", any"));
      Request request;
      request.source = ProblemSource::fcidump;
      request.backend = base::BackendKind::cuda;
      request.elements.path = ElementPath::factorised;
      MatrixEstimate counts{product["rows"].get<double>(), 0};
      counts.factors = ci::FactorisedCost{.multiplications = product["multiplications"],
                                          .moves = product["moves"],
                                          .tiles = product["tiles"],
                                          .chunks = product["chunks"],
                                          .longest = product["longest"].get<Index>(),
                                          .has_parity = has_parity};
      const Plan plan = rank_plans(request, counts, record.resources).front();
      ASSERT_TRUE(plan.on_device && plan.product_seconds);
      const double ratio = *plan.product_seconds / measured.get<double>();
      EXPECT_GT(ratio, 1 / 1.3);
      EXPECT_LT(ratio, 1.3);
      ++compared;
    }
  EXPECT_EQ(compared, 16);
}

TEST(Predictions, ChooseAFormatWithinATenthOfTheBest) {
  for (const Record& record : records()) {
    std::map<std::pair<std::string, int>, std::map<std::string, double>> whole;
    std::map<std::pair<std::string, int>, std::string> chosen;
    for (const json& plan : record.plans) {
      const std::pair problem{plan["problem"].get<std::string>(), plan["vectors"].get<int>()};
      whole[problem][plan["plan"].get<std::string>()] =
          plan["making_s"].get<double>() + kAssumedProducts * plan["product_s"].get<double>();
      auto plans = ranked(plan, ElementPath::automatic, record.resources);
      std::erase_if(plans,
                    // The record leaves this plan out.
                    [](const Plan& one) { return one.method == &kMixed; });
      chosen[problem] = plans[first_fitting(plans)].text();
    }
    EXPECT_EQ(whole.size(), 16u);
    for (const auto& [problem, seconds] : whole) {
      SCOPED_TRACE(problem.first + ", " + std::to_string(problem.second) + " vectors");
      ASSERT_TRUE(seconds.contains(chosen[problem])) << chosen[problem];
      const auto best =
          std::ranges::min_element(seconds, {}, [](const auto& one) { return one.second; });
      EXPECT_LE(seconds.at(chosen[problem]), 1.1 * best->second)
          << chosen[problem] << " where " << best->first << " is sooner done";
    }
  }
}

}  // namespace
}  // namespace cisolve::job

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/config/load.hpp"
#include "job/plan/descent.hpp"
#include "job/plan/plan.hpp"

// What little room a plan leaves for a search space takes more products.
namespace cisolve::app {
namespace {

/// Even or odd vectors are half as long; two whole ones stand beside them.
TEST(Crowding, IsThatOfHalvesWhereOneStateIsFoundAmongThem) {
  job::Counts counts{1e6, 6e7};
  const auto crowding = [&](bool flips, const std::vector<std::string>& settings) {
    counts.factors = ci::FactorWork{.flips = flips};
    std::vector<std::string> all = {"storage.elements=factorised"};
    all.insert(all.end(), settings.begin(), settings.end());
    std::vector<Override> overrides = {parse_override("problem.fcidump=a")};
    for (const std::string& setting : all) overrides.push_back(parse_override(setting));
    const Configuration configuration = make_configuration(job::ProblemSource::fcidump, overrides);
    const auto plans = job::rank_plans(configuration, counts, {150'000'000});
    return plans[job::first_fitting(plans)].crowding;
  };
  const double whole = crowding(false, {});
  EXPECT_GT(whole, 2);
  EXPECT_LT(crowding(true, {}), whole / 1.5);
  EXPECT_EQ(crowding(true, {"solver.near=1"}), crowding(false, {"solver.near=1"}));
  EXPECT_EQ(crowding(true, {"solver.states=2"}), crowding(false, {"solver.states=2"}));
  EXPECT_EQ(crowding(true, {"solver.method=lanczos"}), whole);
}

}  // namespace
}  // namespace cisolve::app

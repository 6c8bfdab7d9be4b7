#include "app/report/residual_trend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

// Messages about a solution that reached its iteration limit.
namespace cisolve::app {
namespace {

solver::Result result_with(const std::vector<std::vector<double>>& residuals) {
  solver::Result result{.vectors = base::MultiVector(base::Backend::reference(), 1, 0)};
  int number = 0;
  for (const auto& some : residuals) {
    solver::Iteration iteration;
    iteration.number = number++;
    iteration.residuals = some;
    result.history.push_back(iteration);
  }
  return result;
}

TEST(ResidualTrend, ReportsTheLargestResidualHalfWayAndAtTheEnd) {
  const auto result = result_with({{1e6, 1e6}, {1e6, 1e6}, {4096, 1e-3}, {2048, 1}, {1024, 1e-9}});
  EXPECT_EQ(residual_trend(result, 1),
            "the largest residual was 4.1e+03 in iteration 2 and 1.0e+03 in iteration 4");
}

// Residuals rise again at a restart or with another state, so no trend may be extrapolated.
TEST(ResidualTrend, ForecastsNothingIfResidualsRiseAgain) {
  std::vector<std::vector<double>> teeth(6, {std::exp2(20)});
  for (const double halvings : {10, 16, 8, 14, 6, 12}) teeth.push_back({std::exp2(halvings)});
  const std::string trend = residual_trend(result_with(teeth), 1);
  EXPECT_EQ(trend, "the largest residual was 1.0e+03 in iteration 6 and 4.1e+03 in iteration 11");
  EXPECT_EQ(residual_trend(result_with({{1}, {1}, {1}, {2}}), 0.5),
            "the largest residual was 1.0e+00 in iteration 2 and 2.0e+00 in iteration 3");
}

TEST(ResidualTrend, AnUnknownResidualIsNotSmall) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(residual_trend(result_with({{1, unknown}, {1, unknown}, {1, 0.1}}), 1e-8),
            "the largest residual was unknown in iteration 1 and 1.0e+00 in iteration 2");
}

TEST(ResidualTrend, SuggestsALargerToleranceAtTheRoundingLimit) {
  using solver::Status;
  auto result = result_with({{1e-6}, {1e-9}});
  result.states = {{.residual = 3e-9, .status = Status::converged}};
  EXPECT_EQ(advice_on_tolerance(result), "");
  EXPECT_FALSE(wants_iterations(result));
  result.states.push_back({.residual = 4e-8, .status = Status::limited});
  EXPECT_NE(advice_on_tolerance(result).find("a tolerance of 8e-08 can be reached"),
            std::string::npos);
  EXPECT_FALSE(wants_iterations(result));
  result.states.push_back({.residual = 1e-3, .status = Status::not_converged});
  EXPECT_NE(advice_on_tolerance(result).find("a tolerance of 8e-08 can be reached"),
            std::string::npos);
  EXPECT_TRUE(wants_iterations(result));
}

TEST(ResidualTrend, SaysNothingAfterTooFewIterations) {
  EXPECT_EQ(residual_trend(result_with({}), 1), "");
  EXPECT_EQ(residual_trend(result_with({{std::numeric_limits<double>::quiet_NaN()}}), 1e-8), "");
  EXPECT_EQ(residual_trend(result_with({{1}, {1}, {1e-9}}), 1e-8), "");  // it was stopped, done
}

}  // namespace
}  // namespace cisolve::app

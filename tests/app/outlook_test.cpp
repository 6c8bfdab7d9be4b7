#include "app/report/outlook.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

// What is said of a solution that its limit ended.
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

TEST(Outlook, CountsTheIterationsToGoFromTheRateOfTheSecondHalf) {
  // Two states, each halved once an iteration since the middle; 10 halvings each are open.
  const double open = 1024;
  const auto result = result_with(
      {{1e6, 1e6}, {1e6, 1e6}, {4 * open, 4 * open}, {2 * open, 2 * open}, {open, open}});
  EXPECT_EQ(outlook(result, 1), "at the rate seen, some 10 iterations more would do");
}

TEST(Outlook, AStateThatIsDoneIsNoneToWaitFor) {
  const auto result = result_with({{8, 64}, {1e-3, 64}, {1e-9, 16}});
  EXPECT_EQ(outlook(result, 1), "at the rate seen, some 2 iterations more would do");
}

TEST(Outlook, WhereAResidualComesBackTheTrendCounts) {
  std::vector<std::vector<double>> teeth(6, {std::exp2(20)});
  for (const double halvings : {10, 16, 8, 14, 6, 12}) teeth.push_back({std::exp2(halvings)});
  EXPECT_EQ(outlook(result_with(teeth), 1), "at the rate seen, some 30 iterations more would do");
}

TEST(Outlook, SaysThatNothingCameCloser) {
  EXPECT_EQ(outlook(result_with({{1}, {1}, {1}, {2}}), 0.5),
            "residuals together have not come closer to it since iteration 2");
}

TEST(Outlook, AsksForAnotherToleranceWhereArithmeticAllowsNoMore) {
  using solver::Status;
  auto result = result_with({{1e-6}, {1e-9}});
  result.states = {{.residual = 3e-9, .status = Status::converged}};
  EXPECT_EQ(advice_on_tolerance(result), "");
  EXPECT_FALSE(wants_iterations(result));
  result.states.push_back({.residual = 4e-8, .status = Status::limited});
  EXPECT_NE(advice_on_tolerance(result).find("a tolerance of 8e-08 is within reach"),
            std::string::npos);
  EXPECT_FALSE(wants_iterations(result));
  result.states.push_back({.residual = 1e-3, .status = Status::not_converged});
  EXPECT_NE(advice_on_tolerance(result).find("a tolerance of 8e-08 is"), std::string::npos);
  EXPECT_TRUE(wants_iterations(result));
}

TEST(Outlook, SaysNothingOfTooLittle) {
  EXPECT_EQ(outlook(result_with({}), 1), "");
  EXPECT_EQ(outlook(result_with({{std::numeric_limits<double>::quiet_NaN()}}), 1e-8), "");
}

}  // namespace
}  // namespace cisolve::app

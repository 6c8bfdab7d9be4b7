#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "app/report/states.hpp"
#include "app/runs/result_files.hpp"

// Record and results describe each state alike.
namespace cisolve::app {
namespace {

using nlohmann::json;
using solver::Status;

solver::Result states_of_every_status() {
  solver::Result result{.vectors = base::MultiVector(base::Backend::reference(), 1, 0)};
  double residual = 1e-10;
  for (const Status status :
       {Status::converged, Status::not_converged, Status::limited, Status::stopped}) {
    result.states.push_back({.energy = -1, .residual = residual, .status = status});
    residual *= 10;
  }
  return result;
}

TEST(StatesRecord, AStateThatWasLimitedOrStoppedHasNotConverged) {
  const solver::Result result = states_of_every_status();
  const json states = json::parse(states_record(result, nullptr).document());
  ASSERT_EQ(states.size(), 4U);
  EXPECT_EQ(states[0]["converged"], true);
  for (const int j : {1, 2, 3}) EXPECT_EQ(states[j]["converged"], false) << j;
  EXPECT_EQ(json::parse(solver_record(result).document())["converged"], false);
}

TEST(StatesRecord, EitherAloneMakesTheSolutionNotConverged) {
  for (const Status status : {Status::not_converged, Status::limited, Status::stopped}) {
    solver::Result result = states_of_every_status();
    result.states.resize(1);
    EXPECT_EQ(json::parse(solver_record(result).document())["converged"], true);
    result.states.push_back({.status = status});
    EXPECT_EQ(json::parse(solver_record(result).document())["converged"], false);
  }
}

TEST(StoredResults, DistinguishResidualsOfSolverAndVerification) {
  const solver::Result result = states_of_every_status();
  solver::Verification verification;
  verification.passed = true;
  for (int j = 0; j < 4; ++j)
    verification.states.push_back({.rayleigh_quotient = -1, .residual = 0.25 + j});
  const io::StoredResults stored = stored_results(result, verification);
  ASSERT_EQ(stored.states.size(), 4U);
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_EQ(stored.states[j].residual, result.states[j].residual);
    EXPECT_EQ(stored.states[j].verified_residual, 0.25 + static_cast<double>(j));
    EXPECT_EQ(stored.states[j].converged, j == 0);
  }
}

}  // namespace
}  // namespace cisolve::app

#include "app/report/residual_trend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/number.hpp"
#include "base/text.hpp"

namespace cisolve::app {
namespace {

/// Largest residual of the states that are not finished; an unknown one counts as infinite.
double largest_residual(const solver::Iteration& iteration) {
  double largest = 0;
  for (const double residual : iteration.residuals)
    largest = std::max(
        largest, std::isfinite(residual) ? residual : std::numeric_limits<double>::infinity());
  return largest;
}

constexpr double kMargin = 2;  // residuals that rounding holds up go up and down

}  // namespace

bool wants_iterations(const solver::Result& result) {
  return std::ranges::any_of(result.states, [](const solver::State& state) {
    return state.status == solver::Status::not_converged || state.status == solver::Status::stopped;
  });
}

std::string advice_on_tolerance(const solver::Result& result) {
  double largest = 0;
  for (const solver::State& state : result.states)
    if (state.status == solver::Status::limited) largest = std::max(largest, state.residual);
  if (largest == 0) return {};
  return base::concat(
      "rounding errors of double precision limit the residuals of an operator of this size; ",
      "a tolerance of ", base::scientific(kMargin * largest, 0), " can be reached");
}

// No forecast is made: residuals rise again at restarts and when another state appears; of
// extrapolations from rates that looked steady over several restarts half were wrong by more than a
// factor of two.
std::string residual_trend(const solver::Result& result, double tolerance) {
  if (result.history.empty()) return {};
  const auto half = std::span(result.history).subspan(result.history.size() / 2);
  const solver::Iteration& first = half.front();
  const solver::Iteration& last = half.back();
  if (last.number <= first.number || !(largest_residual(last) > tolerance)) return {};
  const auto residual_in = [](const solver::Iteration& iteration) {
    const double largest = largest_residual(iteration);
    return std::isfinite(largest) ? base::scientific(largest, 1) : std::string("unknown");
  };
  return base::concat("the largest residual was ", residual_in(first), " in iteration ",
                      first.number, " and ", residual_in(last), " in iteration ", last.number);
}

}  // namespace cisolve::app

#include "app/report/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/number.hpp"
#include "base/text.hpp"

namespace cisolve::app {
namespace {

/// How many times all residuals have to be halved, those that are not known yet from 1.
double open_halvings(const solver::Iteration& iteration, double tolerance) {
  double sum = 0;
  for (const double residual : iteration.residuals)
    sum += std::max(0.0, std::log2((std::isfinite(residual) ? residual : 1.0) / tolerance));
  return sum;
}

/// How many of them fewer there are with each iteration, by the straight line nearest to all that
/// was seen: residuals come back where a method restarts or meets another state.
double rate_of(std::span<const solver::Iteration> seen, double tolerance) {
  double count = 0, numbers = 0, squares = 0, halvings = 0, products = 0;
  for (const solver::Iteration& iteration : seen) {
    const double number = iteration.number - seen.front().number;
    const double open = open_halvings(iteration, tolerance);
    count += 1;
    numbers += number;
    squares += number * number;
    halvings += open;
    products += number * open;
  }
  return (numbers * halvings - count * products) / (count * squares - numbers * numbers);
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
      "double precision allows no smaller residuals for an operator of this size: a ",
      "tolerance of ", base::scientific(kMargin * largest, 0), " is within reach");
}

std::string outlook(const solver::Result& result, double tolerance) {
  if (result.history.empty()) return {};
  const auto half = std::span(result.history).subspan(result.history.size() / 2);
  const solver::Iteration& last = half.back();
  if (last.number <= half.front().number) return {};
  const double open = open_halvings(last, tolerance);
  if (open == 0) return {};
  const double rate = rate_of(half, tolerance);
  if (!(rate > 0))
    return base::concat("residuals together have not come closer to it since iteration ",
                        half.front().number);
  const double more = open / rate;
  if (!(more < 1e9)) return "at the rate seen it would take more than 1e9 iterations";
  return base::concat("at the rate seen, some ",
                      base::grouped(static_cast<base::Index>(std::ceil(more))),
                      " iterations more would do");
}

}  // namespace cisolve::app

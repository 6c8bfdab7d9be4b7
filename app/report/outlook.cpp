#include "app/report/outlook.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

std::string outlook(const solver::Result& result, double tolerance) {
  if (result.history.empty()) return {};
  const solver::Iteration& last = result.history.back();
  const solver::Iteration& middle = result.history[result.history.size() / 2];
  const int iterations = last.number - middle.number;
  if (iterations < 1) return {};
  const double open = open_halvings(last, tolerance);
  if (open == 0) return {};
  const double rate = (open_halvings(middle, tolerance) - open) / iterations;
  if (!(rate > 0))
    return base::concat("residuals together have not come closer to it since iteration ",
                        middle.number);
  const double more = open / rate;
  if (!(more < 1e9)) return "at the rate seen it would take more than 1e9 iterations";
  return base::concat("at the rate seen, some ",
                      base::grouped(static_cast<base::Index>(std::ceil(more))),
                      " iterations more would do");
}

}  // namespace cisolve::app

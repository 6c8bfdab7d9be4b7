#include "ci/selected/extrapolation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::ci {
namespace {

using Points = std::vector<ExtrapolationPoint>;  // sorted by falling |E2|

/// Weighted least squares in polynomials that are orthogonal over the points:
///   p_0 = 1, p_k+1 = (x - a_k) p_k - b_k p_k-1;  E(0) = sum_k c_k p_k(0), c_k = <p_k|y> /
///   <p_k|p_k>
ExtrapolationFit fit(const Points& points, int degree) {
  const std::size_t count = points.size();
  const double scale = std::abs(points.front().perturbation);
  const double origin = points.back().variational;  // keeps the digits of small differences
  std::vector<double> x(count), y(count), weight(count), residual(count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = points[i].perturbation / scale;
    y[i] = residual[i] = points[i].variational - origin;
    weight[i] = 1 / (x[i] * x[i]);
  }
  const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += weight[i] * a[i] * b[i];
    return sum;
  };
  // The values of p_k at the points, and its coefficients of 1, x and x^2.
  std::vector<double> values(count, 1.0);
  std::vector<double> values_before(count, 0.0);
  std::vector<double> power = {1, 0, 0};
  std::vector<double> power_before = {0, 0, 0};
  std::vector<double> sum(3);
  double norm_before = 0;
  double variance = 0;
  for (int k = 0; k <= degree; ++k) {
    const double norm = product(values, values);
    const double coefficient = product(values, residual) / norm;
    for (std::size_t i = 0; i < count; ++i) residual[i] -= coefficient * values[i];
    for (int j = 0; j < 3; ++j) sum[j] += coefficient * power[j];
    variance += power[0] * power[0] / norm;
    std::vector<double> next(count);
    for (std::size_t i = 0; i < count; ++i) next[i] = x[i] * values[i];
    const double a = product(next, values) / norm;
    const double b = k > 0 ? norm / norm_before : 0;
    for (std::size_t i = 0; i < count; ++i) next[i] -= a * values[i] + b * values_before[i];
    std::vector<double> next_power = {0, power[0], power[1]};
    for (int j = 0; j < 3; ++j) next_power[j] -= a * power[j] + b * power_before[j];
    values_before = std::move(values);
    values = std::move(next);
    power_before = std::move(power);
    power = std::move(next_power);
    norm_before = norm;
  }
  const auto spare = static_cast<double>(count) - degree - 1;
  const double spread = spare > 0 ? product(residual, residual) / spare : 0;
  return {origin + sum[0], sum[1] / scale, sum[2] / (scale * scale), std::sqrt(spread * variance)};
}

std::string distrust_of(const Points& points, const Extrapolation& found) {
  constexpr double kFlattest = 0.5;
  constexpr double kSteepest = 2;
  constexpr double kLeastFall = 2;
  const double largest = std::abs(points.front().perturbation);
  const double smallest = std::abs(points.back().perturbation);
  for (const ExtrapolationPoint& point : points)
    if (point.perturbation > 0)
      return base::concat("a perturbation is positive (", point.perturbation,
                          " Hartree): an external determinant lies below the state");
  if (points.size() < 3)
    return base::concat("there are only ", points.size(), points.size() == 1 ? " point" : " points",
                        "; expected at least 3");
  if (largest < kLeastFall * smallest)
    return base::concat("the perturbation decreases only from ", base::brief(largest), " to ",
                        base::brief(smallest), " Hartree; expected a factor of ", kLeastFall,
                        " or more");
  const ExtrapolationFit& taken = points.size() > 3 ? *found.quadratic : *found.linear;
  if (!(taken.slope < -kFlattest && taken.slope > -kSteepest))
    return base::concat("the slope at the end is ", base::brief(taken.slope),
                        "; expected about -1");
  double lowest = points.front().variational;
  for (const ExtrapolationPoint& point : points) lowest = std::min(lowest, point.variational);
  if (found.energy > lowest)
    return base::concat("the extrapolated energy lies above a variational one by ",
                        found.energy - lowest, " Hartree");
  if (found.error > smallest / 2)
    return base::concat("the error of ", found.error,
                        " Hartree exceeds half of the last perturbation (", smallest, ")");
  return {};
}

}  // namespace

Extrapolation extrapolate(std::span<const ExtrapolationPoint> given) {
  if (given.empty())
    base::fail(base::ErrorKind::bad_input,
               "there is nothing to extrapolate; expected at least one point");
  Points points(given.begin(), given.end());
  for (const ExtrapolationPoint& point : points)
    if (!std::isfinite(point.variational) || !std::isfinite(point.perturbation))
      base::fail(base::ErrorKind::bad_input, "a point has the energy ", point.variational,
                 " and the perturbation ", point.perturbation, "; expected finite numbers");
  std::ranges::stable_sort(points, std::greater(), [](const ExtrapolationPoint& point) {
    return std::abs(point.perturbation);
  });
  const ExtrapolationPoint& last = points.back();
  Extrapolation found;
  if (last.perturbation == 0) {
    found.energy = last.variational;
    return found;
  }
  const double total = last.variational + last.perturbation;
  found.energy = total;
  found.error = std::abs(last.perturbation);
  if (points.size() > 1) {
    found.linear = fit(points, 1);
    found.energy = found.linear->energy;
    found.error = std::abs(found.energy - total);
  }
  if (points.size() > 2) {
    found.quadratic = fit(points, 2);
    const bool is_curved = points.size() > 3;
    const Points later(points.begin() + 1, points.end());
    const ExtrapolationFit& taken = is_curved ? *found.quadratic : *found.linear;
    found.energy = taken.energy;
    found.error =
        std::max({std::abs(found.quadratic->energy - found.linear->energy),
                  std::abs(fit(later, is_curved ? 2 : 1).energy - taken.energy), taken.error});
  }
  if (!std::isfinite(found.energy) || !std::isfinite(found.error)) {
    found.energy = total;
    found.error = std::abs(last.perturbation);
    found.distrust = "two points have the same perturbation";
    return found;
  }
  found.distrust = distrust_of(points, found);
  return found;
}

}  // namespace cisolve::ci

#include "solver/task/error_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cisolve::solver {
namespace {

/// Values first to last with overlapping intervals of half-width `reach`.
struct Cluster {
  std::size_t first;
  std::size_t last;
  double reach;  // the norm of their residuals
};

std::vector<Cluster> clusters_of(const std::vector<double>& values,
                                 const std::vector<double>& residuals) {
  std::vector<Cluster> clusters;
  for (std::size_t j = 0; j < values.size(); ++j) {
    Cluster last{j, j, residuals[j]};
    while (!clusters.empty() && values[clusters.back().last] + clusters.back().reach >=
                                    values[last.first] - last.reach) {
      last = {clusters.back().first, last.last, std::hypot(clusters.back().reach, last.reach)};
      clusters.pop_back();
    }
    clusters.push_back(last);
  }
  return clusters;
}

}  // namespace

double rounding_of_energies(Index rows, double size) {
  const double relative =
      2 * std::sqrt(static_cast<double>(rows) + 16) * std::numeric_limits<double>::epsilon();
  return std::max(relative * size, std::numeric_limits<double>::min());
}

double rounding_of_residuals(double size) {
  return 8 * std::numeric_limits<double>::epsilon() * size;
}

std::vector<double> error_bounds(const std::vector<double>& values,
                                 const std::vector<double>& residuals, double rounding) {
  std::vector<double> bounds(values.size());
  for (const Cluster& cluster : clusters_of(values, residuals))
    for (std::size_t j = cluster.first; j <= cluster.last; ++j)
      bounds[j] = cluster.reach + rounding;
  return bounds;
}

std::vector<double> error_estimates(const std::vector<double>& values,
                                    const std::vector<double>& residuals,
                                    std::optional<double> next, double rounding) {
  std::vector<double> estimates;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double above = j + 1 < values.size() ? values[j + 1] : next.value_or(values[j]);
    double gap = above - values[j];
    if (j > 0) gap = std::min(gap, values[j] - values[j - 1]);
    const double r = residuals[j];
    estimates.push_back((gap > r ? std::min(r, r * (r / gap)) : r) + rounding);
  }
  return estimates;
}

}  // namespace cisolve::solver

#include "solver/task/cut_multiplet.hpp"

#include <algorithm>
#include <iterator>

namespace cisolve::solver {
namespace {

constexpr double kOfTolerance = 10;
constexpr double kOfRounding = 1000;

}  // namespace

double degeneracy_width(double tolerance, double rounding) {
  return std::max(kOfTolerance * tolerance, kOfRounding * rounding);
}

int count_beyond(std::span<const double> values, int states, double width) {
  if (states < 1 || std::ssize(values) <= states) return 0;
  const auto above = values.subspan(states);
  const auto end = std::ranges::upper_bound(above, values[states - 1] + width);
  return static_cast<int>(end - above.begin());
}

}  // namespace cisolve::solver

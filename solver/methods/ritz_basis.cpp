#include "solver/methods/ritz_basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cisolve::solver {

double RitzBasis::rounding() const {
  const double size = std::max(std::abs(values().front()), std::abs(values().back()));
  return 8 * std::numeric_limits<double>::epsilon() * size;
}

SmallMatrix RitzBasis::coefficients(const std::vector<int>& roots) const {
  SmallMatrix s(size(), static_cast<int>(roots.size()));
  for (int j = 0; j < s.columns(); ++j)
    for (int i = 0; i < s.rows(); ++i) s(i, j) = pairs_.vectors(i, roots[j]);
  return s;
}

std::vector<double> RitzBasis::find_residuals(const std::vector<int>& roots) {
  const auto count = static_cast<int>(roots.size());
  const SmallMatrix s = coefficients(roots);
  SmallMatrix s_theta = s;
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < s.rows(); ++i) s_theta(i, j) *= values()[roots[j]];
  const Columns r = space_.free_basis(count);
  vectors_.update(1, space_.image(), s, 0, r);
  vectors_.update(-1, space_.basis(), s_theta, 1, r);
  return vectors_.norms(r);
}

SmallMatrix RitzBasis::kept_coefficients(int kept, int most) const {
  SmallMatrix padded(size(), previous_.columns());
  for (int j = 0; j < previous_.columns(); ++j)
    for (int i = 0; i < previous_.rows(); ++i) padded(i, j) = previous_(i, j);
  const SmallMatrix all = extended_by(lowest_coefficients(kept), padded);
  return columns_of(all, 0, std::min(all.columns(), most));
}

void RitzBasis::restart(int kept, int most) {
  space_.collapse(kept_coefficients(kept, most));
  forget();
  update();
}

}  // namespace cisolve::solver

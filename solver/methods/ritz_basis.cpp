#include "solver/methods/ritz_basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cisolve::solver {

void RitzBasis::update() {
  pairs_ = space_.ritz();
  largest_ = std::max(std::abs(values().front()), std::abs(values().back()));
  if (wanted_ == nullptr) return;
  weigh();
  put_wanted_first();
}

/// T^T V = [T^T V, T^T W] with what has been appended, and the weights |T^T V s|^2.
void RitzBasis::weigh() {
  const ConstColumns target = wanted_->target();
  const int known = overlaps_.columns();
  const SmallMatrix added =
      vectors_.gram(target, std::as_const(space_).basis().slice(known, size() - known));
  SmallMatrix all(target.count(), size());
  const auto behind = std::ranges::copy(overlaps_.values(), all.values().begin()).out;
  std::ranges::copy(added.values(), behind);
  overlaps_ = std::move(all);
  weights_ = Wanted::weights(product(overlaps_, pairs_.vectors));
}

void RitzBasis::put_wanted_first() {
  const std::vector<int> order = Wanted::order(values(), weights_, states_);
  const auto in_order = [&](const std::vector<double>& numbers) {
    std::vector<double> ordered;
    for (const int j : order) ordered.push_back(numbers[j]);
    return ordered;
  };
  pairs_ = {in_order(pairs_.values), coefficients(order)};
  weights_ = in_order(weights_);
}

double RitzBasis::gap_beyond(int count, int root) const {
  double gap = std::numeric_limits<double>::infinity();
  for (int j = count; j < size(); ++j) gap = std::min(gap, std::abs(values()[j] - values()[root]));
  return gap;
}

double RitzBasis::rounding() const { return 8 * std::numeric_limits<double>::epsilon() * largest_; }

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
  const SmallMatrix all = extended_by(first_coefficients(kept), padded);
  return columns_of(all, 0, std::min(all.columns(), most));
}

void RitzBasis::restart(int kept, int most) {
  space_.collapse(kept_coefficients(kept, most));
  overlaps_ = SmallMatrix(0, 0);
  forget();
  update();
}

}  // namespace cisolve::solver

#include "solver/search/known_upper_space.hpp"

#include <algorithm>

namespace cisolve::solver {
namespace {

constexpr double kSurely = 0.5;  // widths above the shift: surely above

}  // namespace

KnownUpperSpace KnownUpperSpace::roots_and_width(const Task& task, RitzBasis& basis,
                                                 const Roots& roots) {
  const double shift = basis.values()[roots.states() - 1] + roots.width();
  return {task, task.rest, basis, roots.count(), shift, kSurely * roots.width()};
}

KnownUpperSpace::KnownUpperSpace(const Task& task, const LanczosRemainder* rest, RitzBasis& basis,
                                 int roots, double shift, double least)
    : task_(task), rest_(rest), basis_(basis), shift_(shift) {
  if (rest != nullptr)
    take_from_rest(least);
  else
    take_from_basis(roots, least);
}

/// A is diagonal in Ritz vectors, hence M as well.
void KnownUpperSpace::take_from_basis(int roots, double least) {
  std::vector<int> above;
  for (int j = roots; j < basis_.size() && std::ssize(above) < kMost; ++j)
    if (const double distance = basis_.values()[j] - shift_; distance >= least) {
      above.push_back(j);
      distances_.push_back(distance);
    }
  coefficients_ = basis_.coefficients(above);
}

/// The roots X may have changed since, so that O = V^T X is not zero. On their complement M =
/// diag(values - shift) + O diag(shift - roots) O^T >= diag(values - shift). Components of (A -
/// shift) V along the roots may stay, since these are excluded themselves.
void KnownUpperSpace::take_from_rest(double least) {
  const LanczosRemainder& rest = *rest_;
  const auto size = static_cast<int>(std::ssize(rest.values));
  const auto low = static_cast<int>(
      std::ranges::count_if(rest.values, [&](double value) { return value - shift_ < least; }));
  coefficients_ = SmallMatrix(size + 1, size - low);
  for (int j = low; j < size; ++j) {
    distances_.push_back(rest.values[j] - shift_);
    coefficients_(j, j - low) = rest.values[j] - shift_;
    coefficients_(size, j - low) = rest.couplings[j];
  }
}

int KnownUpperSpace::near(double largest) const {
  const double most = kNearShare * (largest - shift_);
  return static_cast<int>(std::ranges::lower_bound(distances_, most) - distances_.begin());
}

void KnownUpperSpace::fill_images(Columns y) const {
  if (count() == 0) return;
  if (rest_ != nullptr) return task_.vectors.update(1, rest_->vectors, coefficients_, 0, y);
  const SearchSpace& space = basis_.space();
  task_.vectors.update(1, space.image(), coefficients_, 0, y);
  task_.vectors.update(space.shift() - shift_, space.basis(), coefficients_, 1, y);
}

}  // namespace cisolve::solver

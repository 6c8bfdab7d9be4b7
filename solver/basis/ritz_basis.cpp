#include "solver/basis/ritz_basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/task/error_bounds.hpp"

namespace cisolve::solver {
namespace {

constexpr int kMostRotated = 4;  // in addition to the wanted ones

/// s_j^T m s_j
std::vector<double> quotients_of(const SmallMatrix& m, const SmallMatrix& s) {
  const SmallMatrix images = product(m, s);
  std::vector<double> quotients(s.columns(), 0);
  for (int j = 0; j < s.columns(); ++j)
    for (int i = 0; i < s.rows(); ++i) quotients[j] += s(i, j) * images(i, j);
  return quotients;
}

}  // namespace

void RitzBasis::update() {
  pairs_ = space_.ritz();
  largest_ = std::max(std::abs(values().front()), std::abs(values().back()));
  if (wanted_ == nullptr) return;
  if (wanted_->energy()) return fold();
  weigh();
  put_wanted_first();
}

/// Ritz vectors of (A - energy)^2 (folded spectrum), whose values converge from above to the states
/// nearest to the energy, while those of A pass by them. States equally far on either side mix: the
/// nearest few, slightly more than wanted, are separated by diagonalising A among them.
void RitzBasis::fold() {
  const SmallMatrix& h = space_.projected();
  const EigenPairs folded = symmetric_eigen(space_.squared());
  const int inside = std::min(size(), states_ + std::max(states_, kMostRotated));
  const SmallMatrix near = columns_of(folded.vectors, 0, inside);
  const SmallMatrix rotated =
      product(near, symmetric_eigen(transposed_product(near, product(h, near))).vectors);
  SmallMatrix s(size(), size());
  const auto behind = std::ranges::copy(rotated.values(), s.values().begin()).out;
  const SmallMatrix rest = columns_of(folded.vectors, inside, size() - inside);
  std::ranges::copy(rest.values(), behind);
  std::vector<double> quotients = quotients_of(h, s);
  for (double& value : quotients) value += space_.shift();
  const std::vector<double> distances = quotients_of(space_.squared(), s);
  pairs_ = {std::move(quotients), std::move(s)};
  put_first(StateSelection::nearest(pairs_.values, distances, states_));
}

/// T^T V = [T^T V, T^T W] for appended W, and the weights |T^T V s|^2.
void RitzBasis::weigh() {
  const ConstColumns target = wanted_->target();
  const int known = overlaps_.columns();
  const SmallMatrix added =
      vectors_.gram(target, std::as_const(space_).basis().slice(known, size() - known));
  SmallMatrix all(target.count(), size());
  const auto behind = std::ranges::copy(overlaps_.values(), all.values().begin()).out;
  std::ranges::copy(added.values(), behind);
  overlaps_ = std::move(all);
  weights_ = StateSelection::weights(product(overlaps_, pairs_.vectors));
}

void RitzBasis::put_wanted_first() {
  const std::vector<int> order = StateSelection::order(values(), weights_, states_);
  put_first(order);
  std::vector<double> weights;
  for (const int j : order) weights.push_back(weights_[j]);
  weights_ = std::move(weights);
}

void RitzBasis::put_first(const std::vector<int>& order) {
  std::vector<double> values;
  for (const int j : order) values.push_back(pairs_.values[j]);
  pairs_ = {std::move(values), coefficients(order)};
}

double RitzBasis::gap_beyond(int count, int root) const {
  double gap = std::numeric_limits<double>::infinity();
  for (int j = count; j < size(); ++j) gap = std::min(gap, std::abs(values()[j] - values()[root]));
  return gap;
}

double RitzBasis::rounding() const { return rounding_of_residuals(largest_); }

SmallMatrix RitzBasis::coefficients(const std::vector<int>& roots) const {
  return columns_of(pairs_.vectors, roots);
}

std::vector<double> RitzBasis::find_residuals(const std::vector<int>& roots) {
  const auto count = static_cast<int>(roots.size());
  const SmallMatrix s = coefficients(roots);
  SmallMatrix s_theta = s;
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < s.rows(); ++i) s_theta(i, j) *= values()[roots[j]] - space_.shift();
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

void RitzBasis::recompute_images(const std::vector<int>& roots) {
  for (const int root : roots) space_.recompute_images(root);
  update();
}

double RitzBasis::recompute_all_images(int roots) {
  const std::vector<double> changes = space_.recompute_all_images(values().front(), roots);
  update();
  const auto compared = std::min<std::ptrdiff_t>(roots, std::ssize(changes));
  return compared > 0 ? *std::max_element(changes.begin(), changes.begin() + compared) : 0;
}

}  // namespace cisolve::solver

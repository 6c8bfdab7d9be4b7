#include "solver/search/exclusion_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace cisolve::solver {

/// For a component c of a random unit vector, P(|c| < t) = t sqrt(2 rows / pi).
ExclusionBound::ExclusionBound(double rows) : spread_(std::sqrt(2 * rows / std::numbers::pi)) {}

void ExclusionBound::add(double alpha, double beta) {
  size_ = std::max({size_, std::abs(alpha), beta});
  pivot_ = alpha - last_beta_ * factor();  // pivot of T = L D L^T
  definite_ = definite_ && pivot_ > 0;
  const double next = (-alpha * p_ - last_beta_ * p_before_) / beta;
  p_before_ = std::exchange(p_, next);
  sum_ += next * next;
  log_probabilities_.push_back(std::log(spread_) - std::log(sum_) / 2);
  last_beta_ = beta;
}

bool ExclusionBound::found() const { return pivot_ < -kRounding * size_; }

double ExclusionBound::miss_probability() const {
  return definite_ ? std::min(1.0, spread_ / std::sqrt(sum_)) : 1;
}

bool ExclusionBound::excluded() const { return miss_probability() < kMissProbability; }

double ExclusionBound::steps_foreseen() const {
  const auto steps = static_cast<double>(log_probabilities_.size());
  const double half = log_probabilities_[log_probabilities_.size() / 2];
  const double rate = (half - log_probabilities_.back()) / (steps - 1 - std::floor(steps / 2));
  const double rest = log_probabilities_.back() - std::log(kMissProbability);
  return rate > 0 ? steps + rest / rate : std::numeric_limits<double>::infinity();
}

}  // namespace cisolve::solver

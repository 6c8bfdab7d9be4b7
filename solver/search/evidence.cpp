#include "solver/search/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace cisolve::solver {

/// For a component c of a random unit vector, P(|c| < t) = t sqrt(2 rows / pi).
Evidence::Evidence(double rows) : spread_(std::sqrt(2 * rows / std::numbers::pi)) {}

void Evidence::add(double alpha, double beta) {
  size_ = std::max({size_, std::abs(alpha), beta});
  pivot_ = alpha - last_beta_ * factor();  // pivot of T = L D L^T
  definite_ = definite_ && pivot_ > 0;
  const double next = (-alpha * p_ - last_beta_ * p_before_) / beta;
  p_before_ = std::exchange(p_, next);
  sum_ += next * next;
  doubts_.push_back(std::log(spread_) - std::log(sum_) / 2);
  last_beta_ = beta;
}

bool Evidence::found() const { return pivot_ < -kRounding * size_; }

double Evidence::doubt() const { return definite_ ? std::min(1.0, spread_ / std::sqrt(sum_)) : 1; }

bool Evidence::excluded() const { return doubt() < kDoubt; }

double Evidence::steps_foreseen() const {
  const auto steps = static_cast<double>(doubts_.size());
  const double half = doubts_[doubts_.size() / 2];
  const double rate = (half - doubts_.back()) / (steps - 1 - std::floor(steps / 2));
  const double rest = doubts_.back() - std::log(kDoubt);
  return rate > 0 ? steps + rest / rate : std::numeric_limits<double>::infinity();
}

}  // namespace cisolve::solver

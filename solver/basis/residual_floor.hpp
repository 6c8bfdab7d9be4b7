#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace cisolve::solver {

/// What rounding leaves of residuals, as it is learnt from those that come no further down. What it
/// leaves at least is known beforehand, and what it may leave at most, not where between.
class ResidualFloor {
 public:
  /// Above `most`, what rounding can make of it, a residual may stay where it is for as long as it
  /// likes: that is a hard problem.
  void look(int root, double residual, double most) {
    if (root >= std::ssize(seen_)) seen_.resize(root + 1);
    Seen& seen = seen_[root];
    if (!(residual <= most)) {
      seen = {};
      return;
    }
    seen.best = std::min(seen.best, residual);
    if (residual <= kBetter * seen.last) {
      seen.last = residual;
      seen.worst = 0;
      seen.looks = 0;
      return;
    }
    seen.worst = std::max(seen.worst, residual);
    if (++seen.looks >= kPatience)
      value_ = std::max({value_, kSlack * seen.best, std::min(seen.worst, kDrift * seen.best)});
  }

  /// 0 as long as none is known.
  double value() const { return value_; }

 private:
  static constexpr double kBetter = 0.9;
  static constexpr int kPatience = 40;  // looks, more than between two restarts
  static constexpr double kSlack = 2;   // residuals go up and down there
  static constexpr double kDrift = 10;  // and slowly up; more is no rounding

  struct Seen {
    double best = HUGE_VAL;
    double last = HUGE_VAL;  // from which it was to become better
    double worst = 0;        // since then: errors of a basis that is turned again and again add up
    int looks = 0;           // likewise
  };

  std::vector<Seen> seen_;
  double value_ = 0;
};

}  // namespace cisolve::solver

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
    seen.wait.look(residual);
    if (!(residual <= most)) {
      seen = {.wait = seen.wait};
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
    if (++seen.looks >= kPatience) value_ = std::max(value_, floor_of(seen.best, seen.worst));
  }

  /// Whether a residual, however large, has long not become better. Then what images lose is to be
  /// measured: elements that are sums of larger ones lose more than is known beforehand, and a
  /// basis that is rotated again and again adds up errors.
  bool wants_measure() const {
    return std::ranges::any_of(seen_, [](const Seen& seen) { return seen.wait.is_over(); });
  }

  /// Images were made anew and differed by `loss` at most. What waits and is far above that is a
  /// hard problem and waits twice as long from now on. Else images may have been at fault: what
  /// becomes no better with the new ones either is the floor.
  void measured(double loss) {
    for (Seen& seen : seen_) {
      Wait& wait = seen.wait;
      if (!wait.is_over()) continue;
      if (wait.best > kOfLoss * loss) {
        wait.looks = 0;
        wait.patience *= 2;
        continue;
      }
      if (wait.is_second) value_ = std::max(value_, floor_of(wait.best, wait.worst));
      wait = {.is_second = true};
    }
  }

  /// 0 as long as none is known.
  double value() const { return value_; }

 private:
  static constexpr double kBetter = 0.9;
  static constexpr int kPatience = 40;  // looks, more than between two restarts
  static constexpr double kSlack = 2;   // residuals go up and down there
  static constexpr double kDrift = 10;  // and slowly up; more is no rounding

  static constexpr double kOfLoss = 30;

  static double floor_of(double best, double worst) {
    return std::max(kSlack * best, std::min(worst, kDrift * best));
  }

  struct Wait {
    double best = HUGE_VAL;
    double worst = 0;  // since it became better
    int looks = 0;     // likewise
    int patience = kPatience;
    bool is_second = false;
    bool is_over() const { return looks >= patience; }

    void look(double residual) {
      if (residual <= kBetter * best) {
        best = residual;
        worst = 0;
        looks = 0;
        return;
      }
      worst = std::max(worst, residual);
      ++looks;
    }
  };

  struct Seen {
    Wait wait = {};
    double best = HUGE_VAL;
    double last = HUGE_VAL;  // from which it was to become better
    double worst = 0;        // since then: errors of a basis that is turned again and again add up
    int looks = 0;           // likewise
  };

  std::vector<Seen> seen_;
  double value_ = 0;
};

}  // namespace cisolve::solver

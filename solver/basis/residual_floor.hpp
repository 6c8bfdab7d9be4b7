#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace cisolve::solver {

/// Estimates the rounding floor of residuals from those that stagnate. A lower and an upper bound
/// of the floor are known beforehand, its value is not.
class ResidualFloor {
 public:
  /// Records a residual. Residuals above `most`, the largest that rounding can cause, may stagnate
  /// without limit: that is a hard problem.
  void record_residual(int root, double residual, double most) {
    if (root >= std::ssize(histories_)) histories_.resize(root + 1);
    RootHistory& seen = histories_[root];
    seen.wait.record(residual);
    if (!(residual <= most)) {
      seen = {.wait = seen.wait};
      return;
    }
    seen.best = std::min(seen.best, residual);
    if (residual <= kBetter * seen.last) {
      seen.last = residual;
      seen.worst = 0;
      seen.count = 0;
      return;
    }
    seen.worst = std::max(seen.worst, residual);
    if (++seen.count >= kPatience) value_ = std::max(value_, floor_of(seen.best, seen.worst));
  }

  /// True if some residual, however large, has stagnated for long. Then the error of the images has
  /// to be measured: elements that are differences of larger ones lose more than the known bound,
  /// and rotating a basis again and again accumulates errors.
  bool needs_measurement() const {
    return std::ranges::any_of(histories_,
                               [](const RootHistory& seen) { return seen.wait.is_over(); });
  }

  /// Records that images were recomputed and differed by at most `loss`. A stagnating residual far
  /// above `loss` is a hard problem: its patience doubles. Otherwise images may have caused it, and
  /// if it stagnates with the new ones as well, it is the floor.
  void measured(double loss) {
    for (RootHistory& seen : histories_) {
      Wait& wait = seen.wait;
      if (!wait.is_over()) continue;
      if (wait.best > kOfLoss * loss) {
        wait.count = 0;
        wait.patience *= 2;
        continue;
      }
      if (wait.is_second) value_ = std::max(value_, floor_of(wait.best, wait.worst));
      wait = {.is_second = true};
    }
  }

  /// 0 until a floor is known.
  double value() const { return value_; }

 private:
  static constexpr double kBetter = 0.9;
  static constexpr int kPatience =
      40;                              // calls of record_residual(), more than between two restarts
  static constexpr double kSlack = 2;  // residuals at the floor fluctuate
  static constexpr double kDrift = 10;  // and drift upwards; a larger increase is no rounding

  static constexpr double kOfLoss = 30;

  static double floor_of(double best, double worst) {
    return std::max(kSlack * best, std::min(worst, kDrift * best));
  }

  struct Wait {
    double best = HUGE_VAL;
    double worst = 0;  // since the last improvement
    int count = 0;     // residuals since then
    int patience = kPatience;
    bool is_second = false;
    bool is_over() const { return count >= patience; }

    void record(double residual) {
      if (residual <= kBetter * best) {
        best = residual;
        worst = 0;
        count = 0;
        return;
      }
      worst = std::max(worst, residual);
      ++count;
    }
  };

  struct RootHistory {
    Wait wait = {};
    double best = HUGE_VAL;
    double last = HUGE_VAL;  // an improvement is measured from here
    double worst = 0;        // since then; errors of repeatedly rotated bases add up
    int count = 0;           // residuals since then
  };

  std::vector<RootHistory> histories_;
  double value_ = 0;
};

}  // namespace cisolve::solver

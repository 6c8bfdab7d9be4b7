#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace cisolve::solver {

/// Convergence of each root: its last computed residual, the energy it had then, and whether it is
/// finished.
class RootStatus {
 public:
  explicit RootStatus(int roots)
      : residuals_(roots, std::numeric_limits<double>::quiet_NaN()),
        energies_(roots),
        finished_(roots, false) {}

  void record(int root, double energy, double residual, double accuracy) {
    residuals_[root] = residual;
    energies_[root] = energy;
    finished_[root] = residual <= accuracy;
  }

  /// Adds entries for more roots, which are not finished.
  void grow(int roots) {
    if (roots <= std::ssize(finished_)) return;
    residuals_.resize(roots, std::numeric_limits<double>::quiet_NaN());
    energies_.resize(roots);
    finished_.resize(roots, false);
  }

  /// Marks as unfinished each root whose energy has moved by more than `allowed`.
  void forget_moved(std::span<const double> energies, double allowed) {
    for (std::size_t j = 0; j < std::min(energies.size(), energies_.size()); ++j)
      if (!(std::abs(energies[j] - energies_[j]) <= allowed)) finished_[j] = false;
  }

  bool finished(int root) const { return finished_[root]; }
  bool all_finished(int roots) const {
    return std::all_of(finished_.begin(), finished_.begin() + roots, std::identity());
  }
  std::vector<double> residuals(int roots) const {
    return {residuals_.begin(), residuals_.begin() + roots};
  }

 private:
  std::vector<double> residuals_;
  std::vector<double> energies_;
  std::vector<bool> finished_;
};

}  // namespace cisolve::solver

#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "solver/basis/residual_floor.hpp"
#include "solver/basis/ritz_basis.hpp"
#include "solver/basis/root_status.hpp"
#include "solver/task/cut_multiplet.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// Ritz values to converge: the states and their partners, which lie above them and share the
/// energy of the highest state, or are neighbours of states near an energy. Records which are
/// finished.
class Roots {
 public:
  Roots(const Task& task, RitzBasis& basis)
      : task_(task), basis_(basis), root_status_(task.sizes.states) {}

  int states() const { return task_.sizes.states; }
  int beyond() const { return beyond_; }
  int count() const { return states() + beyond_; }
  /// Energies within this width count as degenerate.
  double width() const {
    return width_fraction_ * degeneracy_width(task_.options.tolerance, basis_.rounding());
  }
  /// Halves the width; false if it was halved before.
  bool halve_width() { return std::exchange(width_fraction_, 0.5) == 1; }

  static constexpr double kApart = 10;  // widths: a gap this large can hold the shift of a search
  /// Number of states below the multiplet of the last one, with a gap of kApart widths.
  int below_last() const;

  /// Number of partners among the Ritz values.
  int seen_beyond() const { return count_beyond(basis_.values(), states(), width()); }
  /// Makes as many partners roots as a restart can keep, or a few if there are free columns. Each
  /// is an upper bound of an eigenvalue (Cauchy interlacing), so as many states exist. Returns true
  /// if a partner is new; until it is finished it may fall below the states.
  bool recount_beyond();

  /// Near an energy: makes the nearest few values beyond the states roots, until their eigenvalues
  /// are known to lie no nearer. Returns true if there is work.
  bool recount_neighbours();

  /// The roots to correct next, at most `partners` of them beyond the states, with their residuals
  /// in the free columns; empty if all are finished.
  std::vector<int> unfinished(Index partners);

  void find_residuals(const std::vector<int>& roots);  // r = A V s - theta V s, in free columns
  void find_all_residuals();  // except those computed for the current basis
  void restart(int kept);     // V = V [s, s_previous], with all roots and as many as `kept`
  bool all_finished() const { return root_status_.all_finished(count()); }
  std::vector<double> residuals() const { return root_status_.residuals(states()); }
  /// The residual at which a root is finished.
  double required_residual(int root) const;
  bool is_finished(int root) const { return root_status_.finished(root); }
  /// After a restart: if residuals have stagnated for long, recomputes images, one product each, to
  /// measure their rounding error.
  void measure_rounding();
  /// Rounding floor of a residual, as far as it is known.
  double rounding() const { return std::max(basis_.rounding(), floor_.value()); }

 private:
  double required_residual_of_neighbour(int root, double energy) const;
  std::vector<int> next_roots(Index partners) const;

  const Task& task_;
  RitzBasis& basis_;
  RootStatus root_status_;
  ResidualFloor floor_;
  int beyond_ = 0;
  int rounds_ = 0;             // rounds of corrections so far
  int known_ = 0;              // number of roots with residuals of the current basis
  Index known_at_ = -1;        // SearchSpace::changes() at that time
  double width_fraction_ = 1;  // fraction of degeneracy_width() in use
};

}  // namespace cisolve::solver

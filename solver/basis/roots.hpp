#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "solver/basis/ledger.hpp"
#include "solver/basis/residual_floor.hpp"
#include "solver/basis/ritz_basis.hpp"
#include "solver/task/beyond.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// The Ritz values that are worked on: the states, and their partners, which lie beyond and share
/// the energy of the highest, or are neighbours of states near an energy. Knows which are finished.
class Roots {
 public:
  Roots(const Task& task, RitzBasis& basis)
      : task_(task), basis_(basis), ledger_(task.sizes.states) {}

  int states() const { return task_.sizes.states; }
  int beyond() const { return beyond_; }
  int count() const { return states() + beyond_; }
  /// Partners differ by no more.
  double width() const {
    return share_ * width_of_an_energy(task_.options.tolerance, basis_.rounding());
  }
  /// Halves the width; false where that was done before.
  bool narrow() { return std::exchange(share_, 0.5) == 1; }

  static constexpr double kApart = 10;  // widths: energies that a search can look between
  /// How many states lie below the energy of the last one, so far that a search can look between.
  int below_last() const;

  /// Partners that are seen in the basis.
  int seen_beyond() const { return count_beyond(basis_.values(), states(), width()); }
  /// Takes as many of them for roots as a restart can keep, or a few where there is room. Each is
  /// an upper bound of an eigenvalue: so many states are there. True where there is one that has
  /// not been worked on; until it is finished it may fall below the states.
  bool recount_beyond();

  /// Near an energy: takes the nearest few beyond the states for roots, which are worked on until
  /// it is known that the eigenvalues that they point to lie no nearer. True where there is work.
  bool recount_neighbours();

  /// The roots to work on next, with their residuals in the free columns; none when all is done.
  /// At most `partners` of them lie beyond the states.
  std::vector<int> unfinished(Index partners);

  void find_residuals(const std::vector<int>& roots);  // r = A V s - theta V s, in free columns
  void find_all_residuals();  // but for those that are known of this very basis
  void restart(int kept);     // V = V [s, s_previous], with all roots and as many as `kept`
  bool all_finished() const { return ledger_.all_finished(count()); }
  std::vector<double> residuals() const { return ledger_.residuals(states()); }
  /// The residual that a root is to have.
  double accuracy_of(int root) const;
  bool is_finished(int root) const { return ledger_.finished(root); }
  /// After a restart: where residuals have long not become better, images are made anew, by a
  /// product each, which tells what they had lost.
  void measure_rounding();
  /// What arithmetic leaves of a residual, as far as it is known.
  double rounding() const { return std::max(basis_.rounding(), floor_.value()); }

 private:
  double accuracy_of_neighbour(int root, double energy) const;
  std::vector<int> next_roots(Index partners) const;

  const Task& task_;
  RitzBasis& basis_;
  Ledger ledger_;
  ResidualFloor floor_;
  int beyond_ = 0;
  int turns_ = 0;        // that states have had
  int known_ = 0;        // all of so many roots have the residuals of the basis
  Index known_at_ = -1;  // after so many changes
  double share_ = 1;     // of the width of an energy
};

}  // namespace cisolve::solver

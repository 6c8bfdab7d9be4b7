#pragma once

#include "ci/lattice/spins/spin_target.hpp"
#include "job/problem/site_problem.hpp"
#include "job/states/distribution.hpp"
#include "solver/methods/solve.hpp"

namespace cisolve::job {

/// States of a site problem with one total spin.
class SpinStates {
 public:
  /// `problem` names the spin and must outlive this.
  explicit SpinStates(const SiteProblem& problem);

  /// Number of these states.
  Index count() const { return count_; }

  /// The lowest of them, by a solver for the lowest states of all, applied to alone(). Energies are
  /// those of H, also for states that did not converge and have a component of other spins. Ranks
  /// have portions of h, on a host.
  solver::Result solve(const base::LinearOperator& h, const base::Backend& backend,
                       solver::Options options, solver::Observer* observer,
                       const solver::Checkpoint* start, const Distribution& among = {}) const;

  /// H with all states of other spins shifted above the count() states of the spin. The operators
  /// must outlive it; `pairs` is ci::spin_squared().
  ci::SpinShiftedOperator alone(const base::LinearOperator& h, const base::LinearOperator& pairs,
                                const base::Backend& backend) const;

 private:
  const SiteProblem& problem_;
  ci::SpinShift lift_;
  double width_;
  Index count_;
};

}  // namespace cisolve::job

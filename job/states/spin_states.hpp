#pragma once

#include "ci/lattice/spins/spin_target.hpp"
#include "job/problem/site_problem.hpp"
#include "job/states/distribution.hpp"
#include "solver/methods/solve.hpp"

namespace cisolve::job {

/// States of spins that have one total spin.
class SpinStates {
 public:
  /// The problem, which has to outlive this, names the spin.
  explicit SpinStates(const SiteProblem& problem);

  /// How many there are.
  Index count() const { return count_; }

  /// The lowest of them by a solver that finds the lowest of all: it is given alone(). Energies are
  /// those of the states, also of states that did not converge and have a little of other spins.
  /// Ranks have shares of h, on a host.
  solver::Result solve(const base::LinearOperator& h, const base::Backend& backend,
                       solver::Options options, solver::Observer* observer,
                       const solver::Checkpoint* start, const Distribution& among = {}) const;

  /// H, with all states of other spins lifted above the count() states of the spin. What it is made
  /// of must outlive it; `pairs` is ci::spin_squared().
  ci::SpinShiftedOperator alone(const base::LinearOperator& h, const base::LinearOperator& pairs,
                                const base::Backend& backend) const;

 private:
  const SiteProblem& problem_;
  ci::SpinShift lift_;
  double width_;
  Index count_;
};

}  // namespace cisolve::job

#pragma once

#include "app/config/configuration.hpp"
#include "app/job/watched_rows.hpp"
#include "solver/methods/solve.hpp"
#include "solver/verification/verify.hpp"

namespace cisolve::app {

/// The solver's options as a configuration gives them.
solver::Options solver_options(const Configuration& configuration);

/// Recomputes a result, whose vectors lie in the host's memory, through an operator that shares
/// nothing with the one that was solved: on the backend where it can, else on its host. Where the
/// tolerance was not reached, what is claimed and recomputed is the residuals as they are.
/// `watch` hears of the rows that go into it.
solver::Verification verify_again(const Configuration& configuration, const solver::Result& result,
                                  const base::Backend& backend, const Watch& watch = {});

/// Puts the errors of the verification, and the recomputed residuals of the states that are marked,
/// in place of those of the solver.
void take_verified(const solver::Verification& verification, const std::vector<bool>& marked,
                   solver::Result& result);

}  // namespace cisolve::app

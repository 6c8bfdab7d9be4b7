#pragma once

#include "job/problem/second_reading.hpp"
#include "job/request/request.hpp"
#include "solver/methods/solve.hpp"
#include "solver/verification/verify.hpp"

namespace cisolve::job {

/// The solver's options as a request gives them.
solver::Options solver_options(const Request& request);

/// Recomputes a result through a second reading of its problem: on the backend of its vectors where
/// it can, else on the host. Where the tolerance was not reached,
/// what is claimed and recomputed is the residuals as they are. `watch` hears of the rows that go
/// into it.
solver::Verification verify_again(const Request& request, const SecondReading& second,
                                  const solver::Result& result, const Watch& watch = {});

/// The same by the operator that was solved, which is compared in a sample of rows with one of the
/// second reading. The result lies where `first` multiplies, and `states` are its vectors or a copy
/// of them in the host's memory; the problem is a molecule's.
solver::Verification verify_sample(const Request& request, const SecondReading& second,
                                   const solver::Result& result, const base::MultiVector& states,
                                   const base::LinearOperator& first);

/// Puts the errors of the verification, and the recomputed residuals of the states that are marked,
/// in place of those of the solver.
void take_verified(const solver::Verification& verification, const std::vector<bool>& marked,
                   solver::Result& result);

}  // namespace cisolve::job

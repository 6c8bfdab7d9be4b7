#pragma once

#include <functional>
#include <memory>

#include "job/problem/independent_problem.hpp"
#include "job/request/request.hpp"
#include "solver/methods/solve.hpp"
#include "solver/verification/verify.hpp"

namespace cisolve::job {

/// The solver's options of a request.
solver::Options solver_options(const Request& request);

/// Verifies a result by the operator of a second reading of its problem, on the backend of the
/// result's vectors or the host. If the tolerance was not reached, the actual residuals are claimed
/// and checked.
solver::Verification verify_again(const Request& request, const IndependentProblem& second,
                                  const SecondOperator& again, const solver::Result& result);

/// Makes the operator of the second reading that multiplies chosen rows.
using ReadAgain = std::function<std::unique_ptr<ci::RowwiseOperator>()>;

/// Verifies a result by the operator of the solution, `first`, which is compared with one of the
/// second reading in a sample of rows. The result is on the backend of `first`; `states` are its
/// vectors or a host copy.
solver::Verification verify_sample(const Request& request, const IndependentProblem& second,
                                   const ReadAgain& again, const solver::Result& result,
                                   const base::MultiVector& states,
                                   const base::LinearOperator& first);

/// Replaces the solver's errors by those of the verification, and the residuals of marked states by
/// recomputed ones.
void take_verified(const solver::Verification& verification, const std::vector<bool>& marked,
                   solver::Result& result);

}  // namespace cisolve::job

#pragma once

#include <functional>
#include <memory>

#include "job/problem/independent_problem.hpp"
#include "job/request/request.hpp"
#include "solver/methods/solve.hpp"
#include "solver/verification/verify.hpp"

namespace cisolve::job {

/// The solver's options as a request gives them.
solver::Options solver_options(const Request& request);

/// Recomputes a result by the operator of a second reading of its problem, whose backend is that of
/// the result's vectors or the host. Where the tolerance was not reached, what is claimed and
/// recomputed is the residuals as they are.
solver::Verification verify_again(const Request& request, const IndependentProblem& second,
                                  const SecondOperator& again, const solver::Result& result);

/// Makes an operator of the second reading that multiplies some rows.
using ReadAgain = std::function<std::unique_ptr<ci::RowwiseOperator>()>;

/// The same by the operator that was solved, which is compared in a sample of rows with one of the
/// second reading. The result lies where `first` multiplies, and `states` are its vectors or a copy
/// of them in the host's memory; the problem is a molecule's.
solver::Verification verify_sample(const Request& request, const IndependentProblem& second,
                                   const ReadAgain& again, const solver::Result& result,
                                   const base::MultiVector& states,
                                   const base::LinearOperator& first);

/// Puts the errors of the verification, and the recomputed residuals of the states that are marked,
/// in place of those of the solver.
void take_verified(const solver::Verification& verification, const std::vector<bool>& marked,
                   solver::Result& result);

}  // namespace cisolve::job

#pragma once

#include <optional>
#include <string>

#include "ci/hamiltonian/csf/csf_basis.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/request/request.hpp"
#include "solver/task/checkpoint.hpp"
#include "solver/task/state_selection.hpp"

namespace cisolve::job {

/// Vectors that files give over the rows of a problem, in canonical order, in the host's memory.
struct StartStates {
  std::optional<solver::Checkpoint> start;
  std::optional<solver::Target> target;  // of the states to follow
  std::string note = {};                 // on these, for the result
};

/// What solver.start_from and solver.follow name: states of another job over any space that shares
/// determinants, or determinants of a list. `molecule` is null where a matrix is all there is: then
/// rows must be as many. Throws ErrorKind::configuration where a request contradicts itself, and
/// ErrorKind::bad_input for files that say nothing of this problem.
StartStates read_start_states(const Request& request, const DeterminantProblem* molecule,
                              Index rows, const base::Backend& host);

/// Throws ErrorKind::configuration where states near an energy (solver.near) cannot be had.
void require_sensible_near(const Request& request);

/// The same over the functions of a spin: of each vector what has this spin.
void take_functions(const Request& request, const ci::CsfBasis& basis, StartStates& given);

}  // namespace cisolve::job

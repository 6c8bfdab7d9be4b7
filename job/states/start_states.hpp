#pragma once

#include <optional>
#include <string>

#include "ci/hamiltonian/csf/csf_basis.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/request/request.hpp"
#include "solver/task/checkpoint.hpp"
#include "solver/task/state_selection.hpp"

namespace cisolve::job {

/// Vectors from files over the rows of a problem, in canonical order, in host memory.
struct StartStates {
  std::optional<solver::Checkpoint> start;
  std::optional<solver::Target> target;  // the states to follow
  std::string note = {};                 // remark on these states for the result
};

/// Reads solver.start_from and solver.follow: states of another job over any space that shares
/// determinants, or determinants of a list. `molecule` is null for a plain matrix: then the number
/// of rows must agree. Throws ErrorKind::configuration if the request contradicts itself, and
/// ErrorKind::bad_input for files of another problem.
StartStates read_start_states(const Request& request, const DeterminantProblem* molecule,
                              Index rows, const base::Backend& host);

/// Throws ErrorKind::configuration if states near an energy (solver.near) are impossible.
void require_sensible_near(const Request& request);

/// Replaces the vectors by their components among the functions of a spin.
void take_functions(const Request& request, const ci::CsfBasis& basis, StartStates& given);

}  // namespace cisolve::job

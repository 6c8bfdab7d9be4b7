#pragma once

#include <memory>
#include <string>

#include "base/operator.hpp"
#include "job/problem/problem_rows.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::job {

/// The rows of a request's matrix, read from its file or computed on demand. `feasibility` may
/// refuse a problem before its memory is filled; null: accepts all.
ProblemRows open_rows(const Request& request, const base::Backend& host,
                      FeasibilityCheck* feasibility = nullptr);

/// Refuses an impossible problem or space at no more cost than reading the integrals.
void require_possible_problem(const Request& request, const base::Backend& host);

/// Throws ErrorKind::bad_input with max |H - H^T| unless the matrix is symmetric and has rows, and
/// ErrorKind::configuration if solver.near is so large that numbers there are further apart than
/// solver.tolerance.
void require_solvable(const sparse::RowSource& rows, const Request& request,
                      const base::Backend& host);

/// The generator's options with a number for every `auto`.
sparse::GeneratorOptions generator_options(const Request& request);

/// "generated, seed 1" or the file.
std::string describe_source(const Request& request);

}  // namespace cisolve::job

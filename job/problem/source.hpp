#pragma once

#include <memory>
#include <string>

#include "base/operator.hpp"
#include "job/problem/problem_rows.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::job {

/// The rows of a request's matrix: read from its file, or computed when they are asked for.
/// With `admission`, what does not fit is refused before it is filled.
ProblemRows open_rows(const Request& request, const base::Backend& host,
                      FeasibilityCheck* admission = nullptr);

/// Refuses a problem and a space that cannot be, before they cost more than to read the integrals.
void require_possible_problem(const Request& request, const base::Backend& host);

/// Throws ErrorKind::bad_input with max |H - H^T| unless the matrix is symmetric and has rows, and
/// ErrorKind::configuration where states are asked for near an energy that none can be told from.
void require_solvable(const sparse::RowSource& rows, const Request& request,
                      const base::Backend& host);

/// The generator's options with a number for every `auto`.
sparse::GeneratorOptions generator_options(const Request& request);

/// "generated, seed 1" or the file.
std::string describe_source(const Request& request);

}  // namespace cisolve::job

#pragma once

#include <optional>

#include "job/plan/demand.hpp"
#include "job/request/request.hpp"

namespace cisolve::job {

/// What is known of a full CI without building its space, however large that is: rows, non-zeros
/// as the rules of Slater and Condon and irreps have them, and the work of string matrices. None of
/// other problems.
std::optional<MatrixEstimate> estimate_full_ci(const Request& request, const base::Backend& host);

}  // namespace cisolve::job

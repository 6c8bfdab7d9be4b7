#pragma once

#include <optional>

#include "job/plan/demand.hpp"
#include "job/request/request.hpp"

namespace cisolve::job {

/// Estimates for a full CI of any size, without building its space: rows, non-zeros by the
/// Slater-Condon rules and irreps, and the work of string matrices. None for other problems.
std::optional<MatrixEstimate> estimate_full_ci(const Request& request, const base::Backend& host);

}  // namespace cisolve::job

#pragma once

#include <span>
#include <vector>

#include "job/plan/plan.hpp"
#include "sparse/rows/row_source.hpp"

// The planner: product methods at the places that there are, ranked by their predicted cost.
namespace cisolve::job {

/// Every way that a request leaves open, the best one first: what is predicted to be done soonest,
/// where that is known. What the request names is never replaced. If ranks share the work, a plan
/// describes one of them. Throws ErrorKind::internal if no method offers a plan.
std::vector<Plan> rank_plans(const Request& request, const MatrixEstimate& counts,
                             const Resources& resources);

/// The form of the first plan for this backend that may fit; storage.elements: auto counts as
/// precomputed.
ProductForm chosen_form(const Request& request, const sparse::RowSource& rows,
                        const base::Backend& backend);

/// Every form that a plan may have, the first one as long as nothing is known of the rows.
std::vector<ProductForm> possible_forms(const Request& request, bool on_device);

/// Replaces lower bounds of the bytes of stored formats by exact ones. `lengths` are those of the
/// rows.
void set_exact_bytes(std::vector<Plan>& plans, const sparse::RowSource& rows,
                     std::span<const sparse::Column> lengths, const base::Backend& backend);

/// The first plan that may fit; where none does, the first.
std::size_t first_fitting(const std::vector<Plan>& plans);

}  // namespace cisolve::job

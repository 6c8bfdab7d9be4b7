#pragma once

#include <span>
#include <vector>

#include "job/plan/plan.hpp"
#include "sparse/rows/row_source.hpp"

// The planner: product methods on the available backends, ranked by predicted cost.
namespace cisolve::job {

/// All plans that a request allows, the best one first: by predicted time if known. What the
/// request names is never replaced. With several ranks, a plan describes one of them. Throws
/// ErrorKind::internal if no method offers a plan.
std::vector<Plan> rank_plans(const Request& request, const MatrixEstimate& counts,
                             const Resources& resources);

/// The form of the first plan for this backend that may fit; storage.elements: auto counts as
/// precomputed.
ProductForm chosen_form(const Request& request, const sparse::RowSource& rows,
                        const base::Backend& backend);

/// Every form that a plan may have; the first one is used as long as nothing is known of the rows.
std::vector<ProductForm> possible_forms(const Request& request, bool on_device);

/// Replaces lower bounds of the bytes of stored formats by exact ones. `lengths` are those of the
/// rows.
void set_exact_bytes(std::vector<Plan>& plans, const sparse::RowSource& rows,
                     std::span<const sparse::Column> lengths, const base::Backend& backend);

/// The first plan that may fit; 0 if none does.
std::size_t first_fitting(const std::vector<Plan>& plans);

}  // namespace cisolve::job

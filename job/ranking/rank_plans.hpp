#pragma once

#include <span>
#include <vector>

#include "job/plan/plan.hpp"
#include "sparse/rows/row_source.hpp"

// The planner: product methods at the places that there are, ranked by their predicted cost.
namespace cisolve::job {

/// Every way that a request leaves open, the best one first. What it names is never replaced. What
/// is predicted to be done soonest comes first, where that is known. Of ranks that share the work,
/// what each of them holds and does.
std::vector<Plan> rank_plans(const Request& request, const Counts& counts,
                             const Resources& resources);

/// The form of the first plan for this backend that may fit, without a choice of what is stored.
ProductForm chosen_form(const Request& request, const sparse::RowSource& rows,
                        const base::Backend& backend);

/// Every form that a plan may have, the first one as long as nothing is known of the rows.
std::vector<ProductForm> possible_forms(const Request& request, bool on_device);

/// Puts what the formats really take in place of what they take at least. `lengths` are those of
/// the rows.
void count_plans(std::vector<Plan>& plans, const sparse::RowSource& rows,
                 std::span<const sparse::Column> lengths, const base::Backend& backend);

/// The first plan that may fit; where none does, the first.
std::size_t first_fitting(const std::vector<Plan>& plans);

}  // namespace cisolve::job

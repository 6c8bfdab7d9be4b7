#pragma once

#include <vector>

#include "job/plan/plan.hpp"

// Plans by which some rows are stored and the others computed within each product.
namespace cisolve::job {

/// Whether a request wants nothing else.
bool must_mix(const Request& request);

/// How much of a matrix it wants stored.
sparse::Share share_of(const Request& request);

/// Where a request wants mixed elements, puts such plans in place of those for one place that begin
/// at `first`. Where it leaves a choice, and what is done sooner than by computing all does not fit
/// but for a part, puts one where it belongs, at the latest before the plan that computes all.
void add_mixed(const Request& request, const Counts& counts, const Resources& resources,
               std::size_t first, std::vector<Plan>& plans);

}  // namespace cisolve::job

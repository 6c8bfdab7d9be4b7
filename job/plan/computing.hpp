#pragma once

#include <optional>
#include <vector>

#include "job/plan/plan.hpp"

// Plans by which elements are computed within each product.
namespace cisolve::job {

/// Products of a solution, to weigh them against what is made once.
inline constexpr double kProducts = 40;

/// Whether a request says how elements are to be stored.
bool names_boundary(const Request& request);
bool names_storage(const Request& request);

/// Whether a request lets elements be computed: of determinants, and where no storage is named.
bool may_compute(const Request& request);
/// Whether it wants nothing else, or string matrices in their place.
bool must_compute(const Request& request);
bool must_factorise(const Request& request);
/// Whether stored values must be codes, as far as they can be.
bool must_code(const Request& request);

/// Whether a solution is done sooner by one plan than by another, as far as that is known.
bool pays(const Plan& plan, const Plan& other);

/// How a format says that nothing is stored. Throws Fault::configuration for what is not made of
/// determinants: its elements are what they are.
sparse::FormatOptions not_stored(const Request& request);

/// Puts the plan to compute where it belongs among those for one place, which begin at `first`:
/// before the first with which a solution would be done later, else behind all, as nothing is held.
void add_computed(const Request& request, const Counts& counts, const Resources& resources,
                  bool on_device, std::size_t first, std::vector<Plan>& plans);

}  // namespace cisolve::job

#pragma once

#include <optional>
#include <vector>

#include "job/methods/methods.hpp"
#include "job/plan/plan.hpp"

namespace cisolve::job {

/// Whether plans that store elements are offered: column numbers have 32 bits. A matrix with more
/// rows that can only be stored is offered all the same, and refused when it is built.
bool is_storable(const PlanInput& input);

/// The plans by which a matrix is stored at one place, whatever path of elements a request names,
/// the best one first; by what is predicted of all of them where that is known. With `only`, those
/// that store such values.
std::vector<Plan> stored_plans(const PlanInput& input, bool on_device,
                               std::optional<sparse::ValueEncoding> only = std::nullopt);

/// The forms of these plans, whatever the rows may be like. The first one is taken as long as
/// nothing is known of them.
std::vector<ProductForm> possible_stored_forms(const Request& request, bool on_device);

}  // namespace cisolve::job

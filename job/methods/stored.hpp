#pragma once

#include <optional>
#include <vector>

#include "job/methods/methods.hpp"
#include "job/plan/plan.hpp"

namespace cisolve::job {

/// Whether plans that store elements are offered: column numbers have 32 bits. A larger matrix that
/// can only be stored is offered all the same, and refused when it is built.
bool is_storable(const PlanInput& input);

/// The plans that store a matrix on the device or the host, whatever element path a request names,
/// the best one first: by predicted times if all are known. With `only`, those with such values.
std::vector<Plan> stored_plans(const PlanInput& input, bool on_device,
                               std::optional<sparse::ValueEncoding> only = std::nullopt);

/// The forms of these plans for any rows; the first is used as long as nothing is known of the
/// rows.
std::vector<ProductForm> possible_stored_forms(const Request& request, bool on_device);

}  // namespace cisolve::job

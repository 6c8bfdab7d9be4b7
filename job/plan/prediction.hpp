#pragma once

#include "job/plan/plan.hpp"

// How long the steps of a plan will take, as far as anything is known of the rows.
namespace cisolve::job {

/// What products of a block of vectors take, and what is done before the first one; neither where
/// too little is known.
void predict(const Request& request, const Counts& counts, const Resources& resources, Plan& plan);

}  // namespace cisolve::job

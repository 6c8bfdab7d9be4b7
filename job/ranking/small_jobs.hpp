#pragma once

#include "job/plan/plan.hpp"

// What a host is done with before a device has started.
namespace cisolve::job {

/// Why no device is asked for.
inline constexpr const char* kDoneBeforeAStart =
    "the job is predicted to be done before a device would have started";

/// Whether so many rows are not done with before a device has started, whatever their products
/// take: then it starts while they are looked at.
bool takes_longer_than_a_start(const Request& request, double rows, int threads);

/// Whether a plan for the host is done before a device would have started, as far as that is
/// known, with room to spare.
bool is_done_before_a_start(const Request& request, const MatrixEstimate& counts,
                            const Resources& resources, const Plan& on_host);

/// The plans of a job whose device has not started: those for the host first where that is so.
std::vector<Plan> rank_plans_before_a_start(const Request& request, const MatrixEstimate& counts,
                                            const Resources& resources);

}  // namespace cisolve::job

#pragma once

#include "job/plan/plan.hpp"

// Jobs that a host finishes before a device has started.
namespace cisolve::job {

/// The reason given by a plan.
inline constexpr const char* kDoneBeforeAStart =
    "the job is predicted to finish before a GPU is initialised";

/// Whether the vector work of `rows` rows alone takes longer than starting a device, whatever the
/// products cost: the device then starts while the rows are examined.
bool takes_longer_than_a_start(const Request& request, double rows, int threads);

/// Whether a host plan is predicted, from what is known, to finish before a device would have
/// started, and leaves ample memory.
bool is_done_before_a_start(const Request& request, const MatrixEstimate& counts,
                            const Resources& resources, const Plan& on_host);

/// The plans of a job whose device has not started: those for the host first in that case.
std::vector<Plan> rank_plans_before_a_start(const Request& request, const MatrixEstimate& counts,
                                            const Resources& resources);

}  // namespace cisolve::job

#pragma once

#include "job/plan/plan.hpp"

// Predicted time of a job, as far as its rows are known.
namespace cisolve::job {

/// Blocks of states, each with the predicted number of products.
double blocks_of_states(const Request& request);

/// Seconds of the work between the products of a block, by `threads` threads of a host.
double seconds_of_vectors(double rows, int threads);

/// Seconds from the start of a solution to the end of the job: setup, products, the work between
/// them and verification. None if too little is known, no states are requested or the solution is
/// dense.
std::optional<double> predicted_seconds(const Request& request, const MatrixEstimate& counts,
                                        const Resources& resources, const Plan& plan);

}  // namespace cisolve::job

#pragma once

#include "job/plan/plan.hpp"

// How long a job will take, as far as anything is known of its rows.
namespace cisolve::job {

/// Blocks of states that take the predicted number of products each.
double blocks_of_states(const Request& request);

/// Seconds of the work between the products of a block, by so many threads of a host.
double seconds_of_vectors(double rows, int threads);

/// Seconds from the start of a solution by a plan to the end of the job: what is made for products,
/// these, the work between them and the verification. Nothing where too little is known, where
/// nothing is solved for, or where a dense solution is asked for.
std::optional<double> predicted_seconds(const Request& request, const MatrixEstimate& counts,
                                        const Resources& resources, const Plan& plan);

}  // namespace cisolve::job

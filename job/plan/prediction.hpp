#pragma once

#include "job/plan/plan.hpp"

// How long the steps of a plan will take, as far as anything is known of the rows.
namespace cisolve::job {

/// What products of a block of vectors take, and what is done before the first one; neither where
/// too little is known.
void predict(const Request& request, const Counts& counts, const Resources& resources, Plan& plan);

/// The same where `part` of the elements is stored as the one plan stores all, and the others are
/// computed as by the other.
void predict_mixed(const Plan& stored, const Plan& computed, double part, Plan& plan);

/// One state is found among even or odd vectors by half of their numbers.
bool is_found_among_halves(const Request& request, const Counts& counts, const Plan& plan);

/// How a solution gets on beside a matrix that leaves less room for its search space than it makes
/// use of.
Solving solving_by(const Request& request, const Counts& counts, const Resources& resources,
                   const Plan& plan);

/// "a product in about 2 ms, made in about 0.1 s", of a plan with predictions.
std::string times_of(const Plan& plan);

}  // namespace cisolve::job

#pragma once

#include <iosfwd>

#include "app/json/json.hpp"
#include "job/run/outcome.hpp"

// Selected spaces: how they grow, and the perturbation of their states, for people and for
// programs.
namespace cisolve::app {

void write_round(std::ostream& out, const job::SelectionRound& round);
/// The states with their perturbation, and what may be relied on of it.
void write_perturbation(std::ostream& out, const job::Selection& selection,
                        const solver::Result& result);

Json selection_record(const job::Selection& selection);
/// The members of a state.
std::vector<Json::Member> perturbation_members(const job::Selection& selection, std::size_t state,
                                               double energy);

}  // namespace cisolve::app

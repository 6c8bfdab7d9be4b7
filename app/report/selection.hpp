#pragma once

#include <iosfwd>

#include "app/json/json.hpp"
#include "job/run/outcome.hpp"

// Growth of selected spaces and the Epstein-Nesbet perturbation of their states; as text and as
// JSON.
namespace cisolve::app {

void write_round(std::ostream& out, const job::SelectionRound& round);
/// The states with their perturbation, and its verification.
void write_perturbation(std::ostream& out, const job::Selection& selection,
                        const solver::Result& result);

Json selection_record(const job::Selection& selection);
/// The members of a state.
std::vector<Json::Member> perturbation_members(const job::Selection& selection, std::size_t state,
                                               double energy);

}  // namespace cisolve::app

#pragma once

#include <iosfwd>

#include "app/json/json.hpp"
#include "job/states/state_analysis.hpp"

// Natural transition orbitals from the first state to each other one.
namespace cisolve::app {

/// Prints weights, participation numbers and leading pairs of each transition, and those of levels
/// of several states; nothing unless they were asked for.
void write_transition_orbitals(std::ostream& out, const job::StateAnalysis& analysis);

/// The member `transition_orbitals` of a record; null unless asked for.
Json::Member transition_orbitals_member(const job::StateAnalysis* analysis);

}  // namespace cisolve::app

#pragma once

#include <iosfwd>

#include "app/json/json.hpp"
#include "job/states/state_analysis.hpp"

// Leading configurations of states, as excitations between named orbitals.
namespace cisolve::app {

/// Prints the leading configurations of all states; nothing if they have none.
void write_configurations(std::ostream& out, const job::StateAnalysis& analysis);

/// The member `configurations` of a state.
Json::Member configurations_member(const job::StateDescription& state);

/// The determinant and the orbitals that names refer to; null without configurations.
Json configuration_reference_record(const job::StateAnalysis& analysis);

}  // namespace cisolve::app

#pragma once

#include <cstddef>
#include <iosfwd>

#include "app/json/json.hpp"
#include "job/states/state_analysis.hpp"

// Entropies of orbitals and their mutual information.
namespace cisolve::app {

/// Prints the sum of the entropies and the pairs of orbitals with most mutual information of each
/// state; nothing unless requested.
void write_entropies(std::ostream& out, const job::StateAnalysis& analysis);

/// The member `entropies` of a state, those of single orbitals; null unless requested.
Json::Member entropies_member(const job::StateAnalysis& analysis, std::size_t state);

}  // namespace cisolve::app

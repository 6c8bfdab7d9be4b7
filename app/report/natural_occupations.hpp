#pragma once

#include <iosfwd>
#include <vector>

#include "app/json/json.hpp"
#include "job/states/state_analysis.hpp"

// Occupations of natural orbitals, and what follows from them.
namespace cisolve::app {

/// Prints the effectively unpaired electrons of each state and the occupations nearest to one;
/// nothing without natural orbitals.
void write_natural_occupations(std::ostream& out, const job::StateAnalysis& analysis);

/// The member `unpaired_electrons` of a state; null without natural orbitals.
Json::Member unpaired_member(const job::StateDescription& state);

}  // namespace cisolve::app

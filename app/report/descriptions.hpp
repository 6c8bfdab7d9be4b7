#pragma once

#include <iosfwd>

#include "app/config/configuration.hpp"
#include "app/json/json.hpp"
#include "job/states/state_analysis.hpp"

// Descriptions of states, as text and as JSON.
namespace cisolve::app {

/// Prints the numbering and names of the irreps, if any, and the number of determinants that
/// completed the space.
void write_molecule(std::ostream& out, const Configuration& configuration,
                    const job::DeterminantProblem& molecule);

void write_descriptions(std::ostream& out, const job::StateAnalysis& analysis);
/// Compares the energies with those recomputed from density matrices.
void write_density_verdict(std::ostream& out, const job::StateAnalysis& analysis,
                           const solver::Result& result);

/// The keys that a description adds to a state.
std::vector<Json::Member> description_members(const job::StateDescription& state);
/// Reason why no spins are given; null if they are.
Json spin_record(const job::StateAnalysis& analysis);
Json density_record(const job::StateAnalysis& analysis, const solver::Result& result);

}  // namespace cisolve::app

#pragma once

#include <iosfwd>

#include "app/config/configuration.hpp"
#include "app/json/json.hpp"
#include "job/states/state_analysis.hpp"

// What states are, for people and for programs.
namespace cisolve::app {

/// How the irreps of the file are numbered and called, where it has any, and by how many
/// determinants the space was completed, if it was.
void write_molecule(std::ostream& out, const Configuration& configuration,
                    const job::Molecule& molecule);

void write_descriptions(std::ostream& out, const job::StateAnalysis& analysis);
/// What the density matrices say of the energies.
void write_density_verdict(std::ostream& out, const job::StateAnalysis& analysis,
                           const solver::Result& result);

/// The keys that a description adds to a state.
std::vector<Json::Member> description_members(const job::StateDescription& state);
/// Why nothing is said of the spins; null where it is.
Json spin_record(const job::StateAnalysis& analysis);
Json density_record(const job::StateAnalysis& analysis, const solver::Result& result);

}  // namespace cisolve::app

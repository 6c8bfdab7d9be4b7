#pragma once

#include <iosfwd>

#include "app/config/energy_unit.hpp"
#include "app/json/json.hpp"
#include "job/states/state_analysis.hpp"

// Dyson orbitals between the states of a job and those of one with an electron fewer or more.
namespace cisolve::app {

/// Prints energies and pole strengths of the pairs of states; nothing unless they were asked for.
/// `unit`: none for energies in units of a model.
void write_dyson(std::ostream& out, const job::StateAnalysis& analysis,
                 const solver::Result& result, std::optional<EnergyUnit> unit);

/// The member `dyson` of a record; null unless asked for. Energies of `result` group its states.
Json::Member dyson_member(const job::StateAnalysis* analysis, const solver::Result& result,
                          std::optional<EnergyUnit> unit);

}  // namespace cisolve::app

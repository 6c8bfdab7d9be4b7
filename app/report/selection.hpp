#pragma once

#include <iosfwd>
#include <optional>

#include "app/config/energy_unit.hpp"
#include "app/json/json.hpp"
#include "job/run/outcome.hpp"

// Growth of selected spaces and the Epstein-Nesbet perturbation of their states; as text and as
// JSON.
namespace cisolve::app {

void write_round(std::ostream& out, const job::SelectionRound& round);
/// The states with their perturbation, and its verification; of several ones the excitation
/// energies between their totals, unless there is no unit for these.
void write_perturbation(std::ostream& out, const job::Selection& selection,
                        const solver::Result& result,
                        std::optional<EnergyUnit> unit = std::nullopt);

Json selection_record(const job::Selection& selection);
/// The total energy of a state above that of the first one. Needs perturbations.
double total_excitation(const job::Selection& selection, const solver::Result& result,
                        std::size_t state);

/// The members of a state.
std::vector<Json::Member> perturbation_members(const job::Selection& selection, std::size_t state,
                                               double energy);

}  // namespace cisolve::app

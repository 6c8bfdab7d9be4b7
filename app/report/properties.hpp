#pragma once

#include <iosfwd>

#include "app/config/energy_unit.hpp"
#include "app/json/json.hpp"
#include "job/states/properties.hpp"

// Expectation values and transitions of states, as text and as JSON.
namespace cisolve::app {

/// Prints dipole moments in debye, other expectation values, and transitions from state 1, with
/// energies in `unit` and wavelengths in nm.
void write_properties(std::ostream& out, const job::StateProperties& properties,
                      EnergyUnit unit = EnergyUnit::ev);

/// The keys that the properties add to state `j`, from 0.
std::vector<Json::Member> property_members(const job::StateProperties& properties, std::size_t j);
/// The keys that they add to a record: operators, transitions, levels.
std::vector<Json::Member> property_record(const job::StateProperties& properties);

}  // namespace cisolve::app

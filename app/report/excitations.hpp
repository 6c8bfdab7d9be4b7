#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config/configuration.hpp"
#include "app/json/json.hpp"

// Energies above the first state of a table, in a unit of the user's choice.
namespace cisolve::app {

/// The unit of a job's excitation energies; none for lattices and matrices, whose energies are in
/// units of the model.
std::optional<EnergyUnit> excitation_unit(const Configuration& configuration);

/// "above 1 (eV)", or "from 1 (nm)" of wavelengths: the heading of a column.
std::string excitation_heading(EnergyUnit unit);
/// `hartree`: the energy above the first state; "-" for a wavelength between states of one energy.
std::string excitation_text(double hartree, EnergyUnit unit);

/// An excitation energy in eV for run.json, whatever unit the tables have; null without a unit.
Json excitation_in_ev(double hartree, std::optional<EnergyUnit> unit);

}  // namespace cisolve::app

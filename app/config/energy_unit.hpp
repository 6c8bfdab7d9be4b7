#pragma once

#include <optional>

#include "job/request/choice.hpp"

// Units of energies, wavelengths and dipole moments in tables.
namespace cisolve::app {

/// CODATA 2018: E. Tiesinga, P. Mohr, D. Newell, B. Taylor, Rev. Mod. Phys. 93, 025010 (2021). All
/// conversions of energies are made from these.
namespace codata2018 {
inline constexpr double kHartreeInEv = 27.211386245988;
inline constexpr double kHartreeInWavenumbers = 219474.63136320;  // 1/cm
inline constexpr double kHartreeInJoule = 4.3597447222071e-18;
inline constexpr double kAvogadro = 6.02214076e23;  // 1/mol, exact
}  // namespace codata2018

inline constexpr double kNanometresOfHartree = 45.56335252912;  // h c / E_h, CODATA 2018
inline constexpr double kDebye = 2.541746473;                   // e a0, CODATA 2018
inline constexpr double kJoulePerKilocalorie = 4184;            // thermochemical, exact

/// `nanometre`: the wavelength of a transition, which is not proportional to its energy.
enum class EnergyUnit { ev, hartree, wavenumber, kilocalorie, nanometre };

/// Hartree; a transition of less has no wavelength: its states share an energy.
inline constexpr double kLeastTransition = 1e-6;

/// The value of one Hartree in a unit of energy.
constexpr double hartree_in(EnergyUnit unit) {
  switch (unit) {
    case EnergyUnit::ev: return codata2018::kHartreeInEv;
    case EnergyUnit::hartree: return 1;
    case EnergyUnit::wavenumber: return codata2018::kHartreeInWavenumbers;
    case EnergyUnit::kilocalorie:
      return codata2018::kHartreeInJoule * codata2018::kAvogadro / kJoulePerKilocalorie;
    case EnergyUnit::nanometre: return kNanometresOfHartree;
  }
  return 1;
}

/// An excitation energy in a unit; none in nanometres if it is below kLeastTransition.
constexpr std::optional<double> excitation_in(EnergyUnit unit, double hartree) {
  if (unit != EnergyUnit::nanometre) return hartree * hartree_in(unit);
  if (hartree < kLeastTransition) return std::nullopt;
  return kNanometresOfHartree / hartree;
}

/// Decimals that show about 1e-9 Hartree, or a little less.
constexpr int decimals_in(EnergyUnit unit) {
  switch (unit) {
    case EnergyUnit::ev: return 6;
    case EnergyUnit::hartree: return 8;
    case EnergyUnit::wavenumber: return 3;
    case EnergyUnit::kilocalorie: return 5;
    case EnergyUnit::nanometre: return 2;
  }
  return 6;
}

/// An excitation in headings of tables, before its unit.
constexpr const char* relation_in(EnergyUnit unit) {
  return unit == EnergyUnit::nanometre ? "from 1" : "above 1";
}

/// The symbol of a unit, as in headings of tables.
constexpr const char* symbol_of(EnergyUnit unit) {
  switch (unit) {
    case EnergyUnit::ev: return "eV";
    case EnergyUnit::hartree: return "Hartree";
    case EnergyUnit::wavenumber: return "1/cm";
    case EnergyUnit::kilocalorie: return "kcal/mol";
    case EnergyUnit::nanometre: return "nm";
  }
  return "";
}

}  // namespace cisolve::app

template <>
struct cisolve::job::Words<cisolve::app::EnergyUnit> {
  static constexpr std::array<std::string_view, 5> all = {"ev", "hartree", "cm-1", "kcal/mol",
                                                          "nm"};
};

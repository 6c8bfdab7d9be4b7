#pragma once

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

enum class EnergyUnit { ev, hartree, wavenumber, kilocalorie };

/// The value of one Hartree in a unit.
constexpr double hartree_in(EnergyUnit unit) {
  switch (unit) {
    case EnergyUnit::ev: return codata2018::kHartreeInEv;
    case EnergyUnit::hartree: return 1;
    case EnergyUnit::wavenumber: return codata2018::kHartreeInWavenumbers;
    case EnergyUnit::kilocalorie:
      return codata2018::kHartreeInJoule * codata2018::kAvogadro / kJoulePerKilocalorie;
  }
  return 1;
}

/// Decimals that show about 1e-9 Hartree, or a little less.
constexpr int decimals_in(EnergyUnit unit) {
  switch (unit) {
    case EnergyUnit::ev: return 6;
    case EnergyUnit::hartree: return 8;
    case EnergyUnit::wavenumber: return 3;
    case EnergyUnit::kilocalorie: return 5;
  }
  return 6;
}

/// Symbol in the headings of tables.
constexpr const char* symbol_of(EnergyUnit unit) {
  switch (unit) {
    case EnergyUnit::ev: return "eV";
    case EnergyUnit::hartree: return "Hartree";
    case EnergyUnit::wavenumber: return "1/cm";
    case EnergyUnit::kilocalorie: return "kcal/mol";
  }
  return "";
}

}  // namespace cisolve::app

template <>
struct cisolve::job::Words<cisolve::app::EnergyUnit> {
  static constexpr std::array<std::string_view, 4> all = {"ev", "hartree", "cm-1", "kcal/mol"};
};

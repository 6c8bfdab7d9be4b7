#include "app/report/excitations.hpp"

#include "base/number.hpp"
#include "base/text.hpp"

namespace cisolve::app {

std::optional<EnergyUnit> excitation_unit(const Configuration& configuration) {
  if (!job::is_in_hartree(configuration.request)) return std::nullopt;
  return configuration.output.units;
}

std::string excitation_heading(EnergyUnit unit) {
  return base::concat(relation_in(unit), " (", symbol_of(unit), ")");
}

std::string excitation_text(double hartree, EnergyUnit unit) {
  const std::optional<double> value = excitation_in(unit, hartree);
  return value ? base::fixed(*value, decimals_in(unit)) : "-";
}

Json excitation_in_ev(double hartree, std::optional<EnergyUnit> unit) {
  return unit ? Json(hartree * hartree_in(EnergyUnit::ev)) : Json();
}

}  // namespace cisolve::app

#include "app/report/size_corrections.hpp"

#include <algorithm>
#include <ostream>

#include "app/report/table.hpp"
#include "base/number.hpp"

namespace cisolve::app {

void write_size_corrections(std::ostream& out, const job::StateAnalysis& analysis,
                            const solver::Result& result) {
  const auto has_one = [](const auto& state) { return state.reference.has_value(); };
  if (!std::ranges::any_of(analysis.states, has_one)) return;
  Table table({"state", "reference energy", "weight", "+Q Davidson", "renormalised", "Pople",
               "energy+Q Davidson"});
  bool any_left_out = false;
  for (std::size_t j = 0; j < analysis.states.size(); ++j) {
    const auto& reference = analysis.states[j].reference;
    std::vector<std::string> row{std::to_string(j + 1), "-", "-", "-", "-", "-", "-"};
    if (reference) {
      row[1] = base::fixed(reference->energy, 10);
      row[2] = base::fixed(reference->weight, 6);
    }
    if (reference && reference->corrections) {
      const job::EnergyCorrections& corrections = *reference->corrections;
      row[3] = base::fixed(corrections.davidson, 8);
      row[4] = base::fixed(corrections.renormalised, 8);
      row[5] = base::fixed(corrections.pople, 8);
      row[6] = base::fixed(result.states[j].energy + corrections.davidson, 8);
    } else {
      any_left_out = true;
    }
    table.add(std::move(row));
  }
  table.write(out);
  if (any_left_out)
    out << "no +Q is given for a state with half of its weight or less on the references\n";
}

std::vector<Json::Member> size_correction_members(const job::StateDescription& state) {
  const auto& reference = state.reference;
  const auto& corrections = reference ? reference->corrections : std::nullopt;
  const auto value = [&](double job::EnergyCorrections::*of) {
    return corrections ? Json((*corrections).*of) : Json();
  };
  return {{"reference_energy", reference ? Json(reference->energy) : Json()},
          {"davidson_q", value(&job::EnergyCorrections::davidson)},
          {"renormalised_q", value(&job::EnergyCorrections::renormalised)},
          {"pople_q", value(&job::EnergyCorrections::pople)}};
}

}  // namespace cisolve::app

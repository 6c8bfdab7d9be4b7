#include "app/report/dyson.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "app/report/excitations.hpp"
#include "app/report/table.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "job/states/properties.hpp"

namespace cisolve::app {
namespace {

using base::Index;
using io::StoredDyson;
using job::EnergyLevel;

constexpr double kLeastPole = 1e-3;  // of a pair that is shown
constexpr std::size_t kOrbitalsOfPair = 3;
constexpr double kLeastCoefficient = 0.1;

const char* process_of(const StoredDyson& dyson) {
  return dyson.others_have_fewer ? "ionisation" : "attachment";
}

std::vector<EnergyLevel> levels_of(const solver::Result& result) {
  std::vector<double> energies;
  for (const solver::State& state : result.states) energies.push_back(state.energy);
  return job::energy_levels(energies);
}

/// Pole strengths of a pair of levels: summed over the other's states, averaged over this job's.
struct LevelPair {
  EnergyLevel ours;
  EnergyLevel others;
  double energy;
  double pole_strength;
};

/// All pairs of levels if any has several states, else none.
std::vector<LevelPair> level_pairs(const StoredDyson& dyson, const solver::Result& result) {
  const std::vector<EnergyLevel> ours = levels_of(result);
  const std::vector<EnergyLevel> others = job::energy_levels(dyson.other_energies);
  const std::size_t columns = dyson.other_energies.size();
  if (ours.size() == result.states.size() && others.size() == columns) return {};
  std::vector<LevelPair> pairs;
  for (const EnergyLevel& our : ours)
    for (const EnergyLevel& other : others) {
      double sum = 0;
      for (std::size_t i = our.first; i < our.first + our.states; ++i)
        for (std::size_t j = other.first; j < other.first + other.states; ++j)
          sum += dyson.pole_strengths[i * columns + j];
      pairs.push_back({our, other, dyson.energies[our.first * columns + other.first],
                       sum / static_cast<double>(our.states)});
    }
  return pairs;
}

/// "5 0.9612, 3 -0.1433": numbers and coefficients of the leading orbitals.
std::string leading_orbitals(const std::vector<double>& orbital) {
  std::vector<std::size_t> order(orbital.size());
  for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t p) { return std::abs(orbital[p]); });
  std::string text;
  for (std::size_t k = 0; k < std::min(kOrbitalsOfPair, order.size()); ++k)
    if (std::abs(orbital[order[k]]) >= kLeastCoefficient)
      text += base::concat(text.empty() ? "" : ", ", order[k] + 1, " ",
                           base::fixed(orbital[order[k]], 4));
  return text.empty() ? "-" : text;
}

/// Unit of ionisation energies: eV in place of nanometres, which are of transitions alone.
std::optional<EnergyUnit> energy_unit(std::optional<EnergyUnit> chosen) {
  return chosen == EnergyUnit::nanometre ? EnergyUnit::ev : chosen;
}

std::string energy_text(double energy, std::optional<EnergyUnit> unit) {
  return unit ? excitation_text(energy, *unit) : base::fixed(energy, 8);
}

std::string states_text(const EnergyLevel& level) {
  const std::string first = std::to_string(level.first + 1);
  return level.states == 1 ? first : base::concat(first, "-", level.first + level.states);
}

Json states_of(const EnergyLevel& level) {
  std::vector<Json> states;
  for (std::size_t k = 0; k < level.states; ++k)
    states.emplace_back(static_cast<Index>(level.first + k) + 1);
  return Json::array(std::move(states));
}

}  // namespace

void write_dyson(std::ostream& out, const job::StateAnalysis& analysis,
                 const solver::Result& result, std::optional<EnergyUnit> chosen) {
  if (!analysis.dyson) return;
  const std::optional<EnergyUnit> unit = energy_unit(chosen);
  const StoredDyson& dyson = *analysis.dyson;
  out << "Dyson orbitals of " << (dyson.others_have_fewer ? "the removal" : "the attachment")
      << " of " << (dyson.spin == "alpha" ? "an alpha" : "a beta") << " electron; other states of "
      << dyson.source << '\n';
  const std::string energy =
      base::concat(dyson.others_have_fewer ? "ionisation energy" : "electron affinity",
                   unit ? base::concat(" (", symbol_of(*unit), ")") : std::string());
  Table table({"state", "other", energy, "pole strength", "leading orbitals"});
  const std::size_t others = dyson.other_energies.size();
  Index small = 0;
  for (std::size_t pair = 0; pair < dyson.energies.size(); ++pair) {
    if (dyson.pole_strengths[pair] < kLeastPole) {
      ++small;
      continue;
    }
    table.add({std::to_string(pair / others + 1), std::to_string(pair % others + 1),
               energy_text(dyson.energies[pair], unit), base::fixed(dyson.pole_strengths[pair], 6),
               leading_orbitals(dyson.orbitals[pair])});
  }
  table.write(out);
  if (small > 0)
    out << base::counted(small, "pair") << " of states with pole strengths below "
        << base::shortest(kLeastPole) << '\n';
  const std::vector<LevelPair> levels = level_pairs(dyson, result);
  if (!levels.empty()) {
    out << "\nSums over other states of one energy, averaged over states of one energy\n";
    Table sums({"states", "others", energy, "pole strength"});
    for (const LevelPair& pair : levels)
      if (pair.pole_strength >= kLeastPole)
        sums.add({states_text(pair.ours), states_text(pair.others), energy_text(pair.energy, unit),
                  base::fixed(pair.pole_strength, 6)});
    sums.write(out);
  }
  out << '\n';
}

Json::Member dyson_member(const job::StateAnalysis* analysis, const solver::Result& result,
                          std::optional<EnergyUnit> unit) {
  if (analysis == nullptr || !analysis->dyson) return {"dyson", Json()};
  const StoredDyson& dyson = *analysis->dyson;
  const std::size_t others = dyson.other_energies.size();
  std::vector<Json> pairs;
  for (std::size_t pair = 0; pair < dyson.energies.size(); ++pair)
    pairs.push_back(Json::object({{"state", static_cast<Index>(pair / others) + 1},
                                  {"other", static_cast<Index>(pair % others) + 1},
                                  {"energy", dyson.energies[pair]},
                                  {"energy_ev", excitation_in_ev(dyson.energies[pair], unit)},
                                  {"pole_strength", dyson.pole_strengths[pair]},
                                  {"norm", std::sqrt(dyson.pole_strengths[pair])}}));
  std::vector<Json> levels;
  for (const LevelPair& pair : level_pairs(dyson, result))
    levels.push_back(Json::object({{"states", states_of(pair.ours)},
                                   {"others", states_of(pair.others)},
                                   {"energy", pair.energy},
                                   {"pole_strength", pair.pole_strength}}));
  return {"dyson", Json::object({{"source", dyson.source},
                                 {"process", process_of(dyson)},
                                 {"spin", dyson.spin},
                                 {"pairs", Json::array(std::move(pairs))},
                                 {"levels", Json::array(std::move(levels))}})};
}

}  // namespace cisolve::app

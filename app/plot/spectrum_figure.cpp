#include "app/plot/spectrum_figure.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::app {
namespace {

using base::concat;

constexpr std::size_t kMostLevelsDescribed = 40;
constexpr double kElectronVolts = 27.211386246;  // in a Hartree

/// 2S + 1 of <S^2>, as a number that need not be whole.
double multiplicity(double s2) { return std::sqrt(std::max(0.0, 1 + 4 * s2)); }

const char* name_of_multiplicity(int count) {
  constexpr const char* names[] = {"",        "singlet", "doublet", "triplet", "quartet",
                                   "quintet", "sextet",  "septet",  "octet"};
  return count > 0 && count < 9 ? names[count] : "";
}

// The columns of a spectrum: one for each multiplicity, and one for states without a clean spin.
struct SpinColumn {
  std::string title;
  std::vector<std::size_t> states;
};

std::map<int, SpinColumn> columns_by_spin(const std::vector<Json>& states) {
  std::map<int, SpinColumn> columns;
  for (std::size_t j = 0; j < states.size(); ++j) {
    const auto s2 = states[j]["s2"].number();
    const double exact = s2 ? multiplicity(*s2) : 0;
    const int count = static_cast<int>(std::lround(exact));
    const bool clean = s2 && std::abs(exact - count) < 1e-3;
    SpinColumn& column = columns[clean ? count : 0];
    column.title = !s2         ? "states"
                   : !clean    ? "mixed spin"
                   : count < 9 ? concat(name_of_multiplicity(count), "s")
                               : concat("2S+1 = ", count);
    column.states.push_back(j);
  }
  return columns;
}

// Levels as bars of a width, those of the same energy side by side.
void add_levels(const std::vector<Json>& states, const SpinColumn& column, int place,
                DataBlock& bars, DataBlock& names) {
  const double ground = number_or_none(states.front()["energy"]);
  const auto energy = [&](std::size_t i) {
    return number_or_none(states[column.states[i]]["energy"]) - ground;
  };
  for (std::size_t first = 0; first < column.states.size();) {
    std::size_t end = first + 1;
    while (end < column.states.size() && std::abs(energy(end) - energy(first)) < 1e-6) ++end;
    const double width = 0.7 / static_cast<double>(end - first);
    std::string numbers;
    std::string irreps;
    for (std::size_t i = first; i < end; ++i) {
      const double left = place - 0.35 + width * static_cast<double>(i - first);
      bars.add({cell(left), cell(energy(i)), cell(width - 0.04), "0"});
      numbers += concat(i == first ? "" : ", ", column.states[i] + 1);
      const std::string irrep = states[column.states[i]]["irrep"].text();
      if (!irrep.empty()) irreps += (irreps.empty() ? "" : ", ") + irrep;
    }
    if (!irreps.empty()) numbers += concat(end - first > 1 ? " (irreps " : " (irrep ", irreps, ')');
    names.add({cell(place), cell(energy(first)), gnuplot_text(numbers)});
    first = end;
  }
}

}  // namespace

std::optional<Figure> spectrum_figure(const Json& record) {
  const auto& states = record["states"].items();
  if (states.size() < 2) return std::nullopt;
  const bool molecule =
      record["problem"]["core_energy"].number() &&
      record["problem"]["source"].text().find(" lattice of ") == std::string::npos;
  DataBlock bars("$bars");
  DataBlock names("$names");
  std::string tics;
  int place = 0;
  for (const auto& [spin, column] : columns_by_spin(states)) {
    add_levels(states, column, ++place, bars, names);
    tics += concat(place == 1 ? "" : ", ", gnuplot_text(column.title), ' ', place);
  }
  const double span = std::max(
      1e-9, number_or_none(states.back()["energy"]) - number_or_none(states.front()["energy"]));
  const auto range = [span](const char* axis, double unit) {
    return concat("set ", axis, " [", base::shortest(-0.05 * span * unit), ':',
                  base::shortest(1.1 * span * unit), "]\n");
  };
  std::string script = bars.text() + names.text() + range("yrange", 1) +
                       concat("set xrange [0.4:", place, ".6]\nset xtics scale 0 (", tics,
                              ")\nunset key\nset ylabel 'energy above the ground state",
                              molecule ? " (Hartree)'\n" : "'\n");
  if (molecule)
    script += range("y2range", kElectronVolts) +
              "set border 11\nset y2label 'the same (eV)'\nset y2tics\n";
  script += "plot $bars using 1:2:3:4 with vectors nohead lw 4 lc rgb " + colour(0);
  if (states.size() <= kMostLevelsDescribed)
    script += ", \\\n     $names using 1:2:3 with labels noenhanced offset 0,0.7 tc rgb '#222222'";
  const bool by_spin = std::ranges::any_of(
      states, [](const Json& state) { return state["s2"].number().has_value(); });
  return Figure{"spectrum",
                concat(by_spin ? "States by spin" : "States",
                       "; beside each level stands its number and, where there is symmetry, its "
                       "irrep."),
                script + "\n", std::clamp(240 + 170 * place, 480, 1000), 520};
}

}  // namespace cisolve::app

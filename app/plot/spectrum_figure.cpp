#include "app/plot/spectrum_figure.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "app/config/energy_unit.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace cisolve::app {
namespace {

using base::concat;

constexpr std::size_t kMostLevelsDescribed = 40;

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

/// States of one energy and one spin, and their label.
struct Level {
  double energy = 0;  // above the ground state
  std::size_t states = 0;
  std::string text;
};

// "2, 4-6" of places that rise, counted from 1.
std::string ranges_of(std::span<const std::size_t> places) {
  std::string text;
  for (std::size_t first = 0; first < places.size();) {
    std::size_t last = first;
    while (last + 1 < places.size() && places[last + 1] == places[last] + 1) ++last;
    text += concat(first == 0 ? "" : ", ", places[first] + 1);
    if (last > first) text += concat(last > first + 1 ? "-" : ", ", places[last] + 1);
    first = last + 1;
  }
  return text;
}

// "B2u, B3u", each once; by number if the names are not known, marked with '?' if they are assumed.
std::string irreps_of(const std::vector<Json>& states, std::span<const std::size_t> places) {
  std::vector<std::string> names;
  bool are_named = true;
  for (const std::size_t place : places) {
    std::string name = states[place]["irrep_name"].text();
    are_named &= !name.empty();
    if (name.empty()) name = states[place]["irrep"].text();
    if (states[place]["irrep_assumed"].truth() == true) name += '?';
    if (!name.empty() && std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  }
  if (names.empty()) return {};
  return (are_named ? "" : names.size() > 1 ? "irreps " : "irrep ") + base::joined(names);
}

std::string shortened(std::string text) {
  constexpr std::size_t longest = 36;
  return text.size() > longest ? text.substr(0, longest - 3) + "..." : text;
}

// Groups states of one energy into a level. States without an energy have no level.
std::vector<Level> levels_of(const std::vector<Json>& states, const SpinColumn& column) {
  constexpr double alike = 1e-6;
  const double ground = number_or_none(states.front()["energy"]);
  std::vector<std::pair<double, std::size_t>> sorted;
  for (const std::size_t state : column.states)
    if (const double energy = number_or_none(states[state]["energy"]) - ground;
        std::isfinite(energy))
      sorted.emplace_back(energy, state);
  std::ranges::sort(sorted);
  std::vector<Level> levels;
  for (std::size_t first = 0; first < sorted.size();) {
    std::vector<std::size_t> places;
    std::size_t end = first;
    for (; end < sorted.size() && sorted[end].first - sorted[first].first < alike; ++end)
      places.push_back(sorted[end].second);
    std::ranges::sort(places);
    const std::string irreps = irreps_of(states, places);
    levels.push_back({sorted[first].first, places.size(),
                      shortened(ranges_of(places) + (irreps.empty() ? "" : ": " + irreps))});
    first = end;
  }
  return levels;
}

// Positions of labels of a given height beside ascending levels: each at its level if possible;
// labels that would overlap are stacked, with the mean of their positions at the mean of their
// levels.
std::vector<double> places_of_texts(const std::vector<Level>& levels, double height) {
  struct Stack {
    double middle;
    std::size_t texts;
  };
  std::vector<Stack> stacks;
  for (const Level& level : levels) {
    stacks.push_back({level.energy, 1});
    while (stacks.size() > 1) {
      const Stack upper = stacks.back();
      Stack& lower = stacks[stacks.size() - 2];
      const std::size_t both = lower.texts + upper.texts;
      if (upper.middle - lower.middle >= 0.5 * height * static_cast<double>(both)) break;
      lower = {(lower.middle * static_cast<double>(lower.texts) +
                upper.middle * static_cast<double>(upper.texts)) /
                   static_cast<double>(both),
               both};
      stacks.pop_back();
    }
  }
  std::vector<double> places;
  for (const Stack& stack : stacks)
    for (std::size_t i = 0; i < stack.texts; ++i)
      places.push_back(stack.middle + height * (static_cast<double>(i) -
                                                0.5 * (static_cast<double>(stack.texts) - 1)));
  return places;
}

// All in pixels.
constexpr int kTextHeight = 17;
constexpr int kTextWidth = 9;   // greatest width of a character
constexpr int kBarWidth = 80;   // width of a level's bar
constexpr int kLeadWidth = 24;  // width of the line from a level to its text
constexpr int kGap = 4;
constexpr int kMargins = 240;  // left and right of the columns
constexpr int kEdges = 80;     // above and below them

/// Layout of the columns of a spectrum.
struct SpectrumSize {
  double lowest = 0;  // lower end of the energy axis
  double highest = 0;
  int column = 0;  // the width of one
  int height = 0;  // height of all levels with their texts
  double text_height() const { return (highest - lowest) * kTextHeight / height; }
  double column_widths(int pixels) const { return static_cast<double>(pixels) / column; }
};

// Chooses an energy range that shows all levels and labels; labels take more of it the wider it is.
void choose_range(const std::vector<std::vector<Level>>& columns, SpectrumSize& size) {
  double lowest = 0;
  double highest = 0;
  for (const auto& levels : columns)
    for (const Level& level : levels) {
      lowest = std::min(lowest, level.energy);
      highest = std::max(highest, level.energy);
    }
  const double margin = 0.05 * std::max(highest - lowest, 1e-9);
  size.lowest = lowest - margin;
  size.highest = highest + margin;
  constexpr int rounds = 20;  // each round spreads what the last one left over, which shrinks
  for (int round = 0; round < rounds; ++round) {
    const double text = size.text_height();
    for (const auto& levels : columns) {
      const auto places = places_of_texts(levels, text);
      if (places.empty()) continue;
      size.lowest = std::min(size.lowest, places.front() - text);
      size.highest = std::max(size.highest, places.back() + text);
    }
  }
}

// Picture size; grows with the number of labelled levels and the length of labels.
SpectrumSize size_of(const std::vector<std::vector<Level>>& columns) {
  constexpr std::size_t least_levels = 24;
  std::size_t most = least_levels;
  std::size_t longest = 0;
  for (const auto& levels : columns) {
    most = std::max(most, std::min(levels.size(), kMostLevelsDescribed));
    for (const Level& level : levels) longest = std::max(longest, level.text.size());
  }
  SpectrumSize size;
  size.height = static_cast<int>(most + 4) * kTextHeight;
  size.column = kBarWidth + kLeadWidth + 3 * kGap + kTextWidth * static_cast<int>(longest);
  choose_range(columns, size);
  return size;
}

/// The tables of a picture.
struct SpectrumTables {
  DataBlock bars{"$bars"};
  DataBlock leads{"$leads"};
  DataBlock names{"$names"};
};

// Draws levels as bars, in as many pieces as there are states, each with a line to its label.
void add_levels(const std::vector<Level>& levels, int place, const SpectrumSize& size,
                SpectrumTables& tables) {
  const auto texts = places_of_texts(levels, size.text_height());
  const double left = place - 0.5 + size.column_widths(kGap);
  const double end = left + size.column_widths(kBarWidth);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    const double piece = size.column_widths(kBarWidth) / static_cast<double>(level.states);
    const double gap = level.states > 1 ? 0.1 * piece : 0;
    for (std::size_t j = 0; j < level.states; ++j)
      tables.bars.add({cell(left + piece * static_cast<double>(j)), cell(level.energy),
                       cell(piece - gap), "0"});
    const double lead = end + size.column_widths(kLeadWidth);
    tables.leads.add(
        {cell(end), cell(level.energy), cell(lead - end), cell(texts[i] - level.energy)});
    tables.names.add(
        {cell(lead + size.column_widths(kGap)), cell(texts[i]), gnuplot_text(level.text)});
  }
}

}  // namespace

std::optional<Figure> spectrum_figure(const Json& record) {
  const auto& states = record["states"].items();
  if (states.size() < 2) return std::nullopt;
  const bool molecule =
      record["problem"]["core_energy"].number() &&
      record["problem"]["source"].text().find(" lattice of ") == std::string::npos;
  std::vector<std::vector<Level>> columns;
  std::string tics;
  for (const auto& [spin, column] : columns_by_spin(states)) {
    columns.push_back(levels_of(states, column));
    tics +=
        concat(columns.size() == 1 ? "" : ", ", gnuplot_text(column.title), ' ', columns.size());
  }
  const SpectrumSize size = size_of(columns);
  SpectrumTables tables;
  int place = 0;
  for (const auto& levels : columns) add_levels(levels, ++place, size, tables);
  if (tables.bars.empty()) return std::nullopt;
  const auto range = [&size](const char* axis, double unit) {
    return concat("set ", axis, " [", base::shortest(size.lowest * unit), ':',
                  base::shortest(size.highest * unit), "]\n");
  };
  std::string script = tables.bars.text() + tables.leads.text() + tables.names.text() +
                       range("yrange", 1) +
                       concat("set xrange [0.5:", place, ".5]\nset xtics scale 0 (", tics,
                              ")\nunset key\nset ylabel 'energy above the ground state",
                              molecule ? " (Hartree)'\n" : "'\n");
  if (molecule)
    script += range("y2range", hartree_in(EnergyUnit::ev)) +
              "set border 11\nset y2label 'the same (eV)'\nset y2tics\n";
  script += "plot $bars using 1:2:3:4 with vectors nohead lw 4 lc rgb " + colour(0);
  if (states.size() <= kMostLevelsDescribed)
    script +=
        ", \\\n     $leads using 1:2:3:4 with vectors nohead lw 1 lc rgb '#AAAAAA'"
        ", \\\n     $names using 1:2:3 with labels left noenhanced tc rgb '#222222'";
  const bool by_spin = std::ranges::any_of(
      states, [](const Json& state) { return state["s2"].number().has_value(); });
  return Figure{"spectrum",
                concat(by_spin ? "States by spin" : "States",
                       "; each level is labelled with its number and, with symmetry, its "
                       "irrep; degenerate states share a level."),
                script + "\n", std::clamp(kMargins + place * size.column, 480, 1600),
                size.height + kEdges};
}

}  // namespace cisolve::app

#include "app/plot/run_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "app/report/number.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

using base::concat;

constexpr std::size_t kMostLevelsDescribed = 40;
constexpr std::size_t kMostBars = 24;
constexpr double kElectronVolts = 27.211386246;  // in a Hartree

double number_or_none(const JsonValue& value) { return value.number().value_or(kNone); }

// The difference that a logarithmic axis can show.
double above_zero(double value) { return value > 0 ? value : kNone; }

std::string curves(const std::string& block, std::size_t first_column, std::size_t states) {
  std::string text;
  for (std::size_t j = 0; j < states; ++j)
    text += concat(j == 0 ? "plot " : ", \\\n     ", block, " using 1:", first_column + j,
                   " with linespoints lw 2 pt 7 ps ", states > 4 ? 0.3 : 0.5, " lc rgb ", colour(j),
                   " title 'state ", j + 1, "'");
  return text + "\n";
}

// A row for each iteration before the search for missed states: its number, the energies above
// their last values, the residuals.
DataBlock history_block(const JsonValue& history, std::size_t states) {
  DataBlock block("$history");
  const auto& energies = history["energies"].items();
  const auto& residuals = history["residuals"].items();
  const auto& searching = history["searching"].items();
  const auto at = [](const JsonValue& row, std::size_t j) {
    return j < row.items().size() ? number_or_none(row.items()[j]) : kNone;
  };
  for (std::size_t i = 0; i < energies.size(); ++i) {
    if (i >= residuals.size() || (i < searching.size() && searching[i].truth() == true)) continue;
    std::vector<std::string> cells{history["iteration"].items().at(i).text()};
    for (std::size_t j = 0; j < states; ++j)
      cells.push_back(cell(above_zero(at(energies[i], j) - at(energies.back(), j))));
    for (std::size_t j = 0; j < states; ++j) cells.push_back(cell(above_zero(at(residuals[i], j))));
    block.add(cells);
  }
  return block;
}

void add_convergence(const JsonValue& record, std::vector<Figure>& figures) {
  const JsonValue& history = record["history"];
  const std::size_t states = std::min(record["states"].items().size(), kMostCurves);
  if (history["iteration"].items().size() < 2 ||
      history["iteration"].items().size() != history["energies"].items().size())
    return;
  const DataBlock block = history_block(history, states);
  if (block.empty()) return;
  const auto tolerance = history["tolerance"].number();
  // What is below 1e-14 is noise of the arithmetic.
  std::string script = block.text() + logarithmic("y") +
                       concat("set xrange [0:", history["iteration"].items().back().text(), "]\n") +
                       "set multiplot layout 2,1 margins 0.13,0.97,0.17,0.97 spacing 0,0.04\n"
                       "unset key\nset format x ''\nset yrange [1e-14:*]\n"
                       "set ylabel 'energy above its last value'\n" +
                       curves("$history", 2, states) +
                       "set key below center horizontal noenhanced samplen 2\nset format x '%g'\n"
                       "set xlabel 'iteration'\nset yrange [*:*]\nset ylabel 'residual norm'\n";
  if (tolerance && *tolerance > 0)
    script += concat("set arrow 1 from graph 0, first ", shortest(*tolerance),
                     " to graph 1, first ", shortest(*tolerance), " nohead dt 2 lc rgb '#444444'\n",
                     "set label 1 'tolerance' at graph 0.01, first ", shortest(*tolerance),
                     " offset 0,0.6 tc rgb '#444444'\n");
  script += curves("$history", 2 + states, states) + "unset multiplot\n";
  const bool all = states == record["states"].items().size();
  figures.push_back({"convergence",
                     concat("Convergence of ", all ? "each state" : "the lowest states",
                            ": energies above their last values, and residual norms. Iterations "
                            "that only look for missed states are left out."),
                     std::move(script), 720, 640});
}

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

std::map<int, SpinColumn> columns_by_spin(const std::vector<JsonValue>& states) {
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
void add_levels(const std::vector<JsonValue>& states, const SpinColumn& column, int place,
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

void add_spectrum(const JsonValue& record, std::vector<Figure>& figures) {
  const auto& states = record["states"].items();
  if (states.size() < 2) return;
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
    return concat("set ", axis, " [", shortest(-0.05 * span * unit), ':',
                  shortest(1.1 * span * unit), "]\n");
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
  figures.push_back({"spectrum",
                     "States by spin; beside each level stands its number"
                     " and, where there is symmetry, its irrep.",
                     script + "\n", std::clamp(240 + 170 * place, 480, 1000), 520});
}

void add_weights(const JsonValue& record, std::vector<Figure>& figures) {
  DataBlock block("$weights");
  std::size_t bars = 0;
  std::size_t place = 0;
  std::size_t described = 0;  // states
  const auto& states = record["states"].items();
  for (std::size_t j = 0; j < states.size(); ++j) {
    const auto& dominant = states[j]["dominant"].items();
    const std::size_t shown = std::min(dominant.size(), kMostBars);
    if (bars + shown > kMostBars) break;
    bars += shown;
    described = j + 1;
    if (place > 0 && shown > 0) ++place;
    for (const JsonValue& determinant : std::span(dominant).first(shown)) {
      std::string text = determinant["determinant"].text();
      if (text.size() > 36) text = text.substr(0, 33) + "...";
      block.add({std::to_string(place++), cell(number_or_none(determinant["weight"])),
                 gnuplot_text(&determinant == dominant.data() ? concat("state ", j + 1, "   ", text)
                                                              : text),
                 std::to_string(j)});
    }
  }
  if (bars == 0) return;
  std::string palette;
  for (std::size_t j = 0; j < kMostCurves; ++j)
    palette += concat(j == 0 ? "" : ", ", j, ' ', colour(j));
  const std::string script =
      block.text() +
      concat("set palette maxcolors ", kMostCurves, " defined (", palette,
             ")\nset cbrange [-0.5:", kMostCurves,
             " - 0.5]\nunset colorbox\nunset key\nset yrange [", place,
             " - 0.4:-0.6]\nset xrange [0:*]\nunset grid\nset grid xtics lt 1 lc rgb '#DDDDDD'\n"
             "set ytics scale 0 noenhanced font 'monospace,11'\n"
             "set xlabel 'weight of the determinant'\nset rmargin 4\n"
             "plot $weights using (0.5*$2):1:(0.5*$2):(0.4):(int($4) % ",
             kMostCurves, "):ytic(3) with boxxyerror lc palette\n");
  figures.push_back(
      {"weights",
       concat(
           "Dominant determinants of ",
           described == states.size() ? "each state" : concat("the lowest ", described, " states"),
           "; orbitals from the left: 2 is full, u and d hold one electron, 0 is "
           "empty."),
       script, 720, static_cast<int>(110 + 26 * place)});
}

void add_memory(const JsonValue& record, std::vector<Figure>& figures) {
  DataBlock block("$memory");
  const auto& formats = record["memory"].items();
  double largest = 0;
  for (const JsonValue& format : formats)
    largest = std::max(largest, format["bytes"].number().value_or(0));
  const Unit unit = fitting_unit(byte_units(), largest);
  for (const JsonValue& format : formats)
    block.add({gnuplot_text(format["format"].text()),
               cell(number_or_none(format["bytes_by_formula"]) / unit.size),
               cell(number_or_none(format["bytes"]) / unit.size)});
  if (block.empty()) return;
  figures.push_back(
      {"memory",
       "Memory of the matrix in each storage format: by the formula of the format, and as "
       "it is held, with what alignment and bookkeeping add.",
       block.text() + concat("set style data histograms\nset style histogram clustered gap 1\n",
                             "set yrange [0:*]\nset xtics scale 0 noenhanced\nset ylabel 'memory (",
                             unit.name, ")'\nplot $memory using 2:xtic(1) lc rgb ", colour(5),
                             " title 'by the formula', \\\n     $memory using 3 lc rgb ", colour(0),
                             " title 'held'\n")});
}

}  // namespace

std::vector<Figure> run_figures(const JsonValue& record) {
  std::vector<Figure> figures;
  add_convergence(record, figures);
  add_spectrum(record, figures);
  add_weights(record, figures);
  add_memory(record, figures);
  return figures;
}

}  // namespace cisolve::app

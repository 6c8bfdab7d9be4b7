#include "app/plot/run_figures.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "app/plot/sites_figure.hpp"
#include "app/plot/spectrum_figure.hpp"
#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::app {
namespace {

using base::concat;

constexpr std::size_t kMostBars = 24;

// The value if a logarithmic axis can show it, else missing.
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
DataBlock history_block(const Json& history, std::size_t states) {
  DataBlock block("$history");
  const auto& energies = history["energies"].items();
  const auto& residuals = history["residuals"].items();
  const auto& searching = history["searching"].items();
  for (std::size_t i = 0; i < energies.size(); ++i) {
    if (i >= residuals.size() || (i < searching.size() && searching[i].truth() == true)) continue;
    std::vector<std::string> cells{cell(number_or_none(history["iteration"][i]))};
    for (std::size_t j = 0; j < states; ++j)
      cells.push_back(
          cell(above_zero(number_or_none(energies[i][j]) - number_or_none(energies.back()[j]))));
    for (std::size_t j = 0; j < states; ++j)
      cells.push_back(cell(above_zero(number_or_none(residuals[i][j]))));
    block.add(cells);
  }
  return block;
}

void add_convergence(const Json& record, std::vector<Figure>& figures) {
  const Json& history = record["history"];
  const std::size_t states = std::min(record["states"].items().size(), kMostCurves);
  if (history["iteration"].items().size() < 2 ||
      history["iteration"].items().size() != history["energies"].items().size())
    return;
  const DataBlock block = history_block(history, states);
  if (block.empty()) return;
  const auto last = history["iteration"].items().back().number();
  if (!last) return;
  const auto tolerance = history["tolerance"].number();
  // Values below 1e-14 are rounding noise.
  std::string script = block.text() + logarithmic("y") +
                       concat("set xrange [0:", base::shortest(*last), "]\n") +
                       "set multiplot layout 2,1 margins 0.13,0.97,0.17,0.97 spacing 0,0.04\n"
                       "unset key\nset format x ''\nset yrange [1e-14:*]\n"
                       "set ylabel 'energy above its last value'\n" +
                       curves("$history", 2, states) +
                       "set key below center horizontal noenhanced samplen 2\nset format x '%g'\n"
                       "set xlabel 'iteration'\nset yrange [*:*]\nset ylabel 'residual norm'\n";
  if (tolerance && *tolerance > 0)
    script +=
        concat("set arrow 1 from graph 0, first ", base::shortest(*tolerance),
               " to graph 1, first ", base::shortest(*tolerance), " nohead dt 2 lc rgb '#444444'\n",
               "set label 1 'tolerance' at graph 0.01, first ", base::shortest(*tolerance),
               " offset 0,0.6 tc rgb '#444444'\n");
  script += curves("$history", 2 + states, states) + "unset multiplot\n";
  const bool all = states == record["states"].items().size();
  figures.push_back({"convergence",
                     concat("Convergence of ", all ? "each state" : "the lowest states",
                            ": energies above their last values, and residual norms. Iterations "
                            "that only look for missed states are left out."),
                     std::move(script), 720, 640});
}

void add_weights(const Json& record, std::vector<Figure>& figures) {
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
    for (const Json& determinant : std::span(dominant).first(shown)) {
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

void add_memory(const Json& record, std::vector<Figure>& figures) {
  DataBlock block("$memory");
  const auto& formats = record["memory"].items();
  double largest = 0;
  for (const Json& format : formats)
    largest = std::max(largest, format["bytes"].number().value_or(0));
  const Unit unit = fitting_unit(byte_units(), largest);
  for (const Json& format : formats)
    block.add({gnuplot_text(format["format"].text()),
               cell(number_or_none(format["bytes_by_formula"]) / unit.size),
               cell(number_or_none(format["bytes"]) / unit.size)});
  if (block.empty()) return;
  figures.push_back(
      {"memory",
       "Memory of the matrix in each storage format: by the formula of the format, and as "
       "allocated, alignment and bookkeeping included.",
       block.text() + concat("set style data histograms\nset style histogram clustered gap 1\n",
                             "set yrange [0:*]\nset xtics scale 0 noenhanced\nset ylabel 'memory (",
                             unit.name, ")'\nplot $memory using 2:xtic(1) lc rgb ", colour(5),
                             " title 'by the formula', \\\n     $memory using 3 lc rgb ", colour(0),
                             " title 'held'\n")});
}

}  // namespace

std::vector<Figure> run_figures(const Json& record) {
  std::vector<Figure> figures;
  add_convergence(record, figures);
  if (auto spectrum = spectrum_figure(record)) figures.push_back(std::move(*spectrum));
  add_weights(record, figures);
  if (auto sites = sites_figure(record)) figures.push_back(std::move(*sites));
  add_memory(record, figures);
  return figures;
}

}  // namespace cisolve::app

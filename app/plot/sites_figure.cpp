#include "app/plot/sites_figure.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace cisolve::app {

std::optional<Figure> sites_figure(const Json& record) {
  const auto& all = record["states"].items();
  const std::size_t states = std::min(all.size(), kMostCurves);
  const std::size_t sites = states == 0 ? 0 : all[0]["spin_correlations"][0].items().size();
  if (sites < 2) return std::nullopt;
  DataBlock block("$sites");
  for (std::size_t site = 1; site < sites; ++site) {
    std::vector<std::string> cells{std::to_string(site + 1)};
    for (std::size_t j = 0; j < states; ++j)
      cells.push_back(cell(number_or_none(all[j]["spin_correlations"][0][site])));
    block.add(cells);
  }
  std::string script = block.text() +
                       "set xlabel 'site'\nset ylabel '<S_1 S_i>' noenhanced\n"
                       "set xzeroaxis lt 1 lc rgb '#444444'\n";
  for (std::size_t j = 0; j < states; ++j)
    script += base::concat(j == 0 ? "plot " : ", \\\n     ", "$sites using 1:", j + 2,
                           " with linespoints lw 2 pt 7 ps 0.6 lc rgb ", colour(j),
                           " title 'state ", j + 1, "'");
  return Figure{
      "correlations",
      base::concat("Correlations <S_1 S_i> of the spin of site 1 with those of the others, in ",
                   states == all.size() ? "each state." : "the lowest states."),
      script + "\n"};
}

}  // namespace cisolve::app

#include "app/report/entropies.hpp"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <tuple>
#include <vector>

#include "app/report/table.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace cisolve::app {
namespace {

constexpr std::size_t kPairsShown = 3;

std::string strongest_pairs(const io::StoredEntropies& entropies, std::size_t state) {
  const std::vector<double>& mutual = entropies.mutual[state];
  const std::size_t n = entropies.orbitals.size();
  std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) pairs.emplace_back(mutual[i * n + j], i, j);
  std::ranges::stable_sort(pairs, std::ranges::greater(),
                           [](const auto& pair) { return std::get<0>(pair); });
  if (pairs.size() > kPairsShown) pairs.resize(kPairsShown);
  std::string text;
  for (const auto& [value, i, j] : pairs)
    text += base::concat(text.empty() ? "" : ", ", entropies.orbitals[i], "-",
                         entropies.orbitals[j], " ", base::fixed(value, 6));
  return text;
}

}  // namespace

void write_entropies(std::ostream& out, const job::StateAnalysis& analysis) {
  const auto& entropies = analysis.entropies;
  if (!entropies) return;
  Table table(
      {"state", "sum of orbital entropies", "pairs of orbitals with most mutual information"});
  for (std::size_t j = 0; j < entropies->single.size(); ++j) {
    const std::vector<double>& single = entropies->single[j];
    table.add({std::to_string(j + 1),
               base::fixed(std::accumulate(single.begin(), single.end(), 0.0), 6),
               strongest_pairs(*entropies, j)});
  }
  table.write(out);
}

Json::Member entropies_member(const job::StateAnalysis& analysis, std::size_t state) {
  if (!analysis.entropies) return {"entropies", Json()};
  const std::vector<double>& single = analysis.entropies->single[state];
  return {"entropies", Json::array({single.begin(), single.end()})};
}

}  // namespace cisolve::app

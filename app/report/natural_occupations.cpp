#include "app/report/natural_occupations.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "app/report/table.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "ci/properties/unpaired_electrons.hpp"

namespace cisolve::app {
namespace {

constexpr std::size_t kOccupationsShown = 4;

/// The occupations nearest to one, the largest first.
std::string nearest_to_one(std::vector<double> occupations) {
  std::ranges::stable_sort(occupations, {}, [](double n) { return std::abs(n - 1); });
  if (occupations.size() > kOccupationsShown) occupations.resize(kOccupationsShown);
  std::ranges::sort(occupations, std::ranges::greater());
  std::string text;
  for (const double n : occupations) text += (text.empty() ? "" : " ") + base::fixed(n, 4);
  return text;
}

}  // namespace

void write_natural_occupations(std::ostream& out, const job::StateAnalysis& analysis) {
  const auto has_naturals = [](const auto& state) { return !state.occupations.empty(); };
  if (analysis.states.empty() || !std::ranges::all_of(analysis.states, has_naturals)) return;
  Table table({"state", "unpaired electrons", "by n (2 - n)", "natural occupations nearest to 1"});
  for (std::size_t j = 0; j < analysis.states.size(); ++j) {
    const std::vector<double>& occupations = analysis.states[j].occupations;
    table.add({std::to_string(j + 1), base::fixed(ci::unpaired_head_gordon(occupations), 6),
               base::fixed(ci::unpaired_takatsuka(occupations), 6), nearest_to_one(occupations)});
  }
  table.write(out);
}

Json::Member unpaired_member(const job::StateDescription& state) {
  if (state.occupations.empty()) return {"unpaired_electrons", Json()};
  return {"unpaired_electrons",
          Json::object({{"head_gordon", ci::unpaired_head_gordon(state.occupations)},
                        {"takatsuka", ci::unpaired_takatsuka(state.occupations)}})};
}

}  // namespace cisolve::app

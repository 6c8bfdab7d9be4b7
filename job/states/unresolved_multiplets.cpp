#include "job/states/unresolved_multiplets.hpp"

#include <cmath>

namespace cisolve::job {
namespace {

constexpr double kCleanSpin = 1e-3;  // largest deviation of 2S + 1 from a whole number

bool is_clean(const StateDescription& state, bool has_irreps) {
  if (has_irreps && !state.irrep) return false;
  if (!state.s2) return true;
  const double multiplicity = std::sqrt(std::max(0.0, 1 + 4 * *state.s2));
  return std::abs(multiplicity - std::round(multiplicity)) < kCleanSpin;
}

}  // namespace

int first_of_last_energy(const solver::Result& result, double width) {
  int first = static_cast<int>(result.states.size()) - 1;
  while (first > 0 && result.states[first].energy - result.states[first - 1].energy <= width)
    --first;
  return first;
}

void mark_unresolved_multiplets(const solver::Result& result, const solver::CutMultiplet& beyond,
                                bool has_irreps, StateAnalysis& analysis) {
  const auto count = std::ssize(result.states);
  const auto is_degenerate_with_next =
      [&](Index below) {  // whether state `below` has the energy of the next one
        if (below + 1 == count) return beyond.states > 0;
        return below >= 0 &&
               result.states[below + 1].energy - result.states[below].energy <= beyond.width;
      };
  for (Index j = 0; j < count; ++j)
    analysis.states[j].is_unresolved =
        (is_degenerate_with_next(j - 1) || is_degenerate_with_next(j)) &&
        !is_clean(analysis.states[j], has_irreps);
}

}  // namespace cisolve::job

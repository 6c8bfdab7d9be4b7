#include "ci/lattice/words/gathered_model.hpp"

#include <cmath>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

void require_finite(double value) {
  if (!std::isfinite(value))
    base::fail(base::Fault::configuration,
               "terms of the same sites are infinite together; expected smaller strengths");
}

}  // namespace

void GatheredModel::turn(int a, int b, double opposite, double parallel) {
  const SpinWord first = SpinWord{1} << a;
  turn(first | SpinWord{1} << b, first, 0, opposite);
  moves_[first | SpinWord{1} << b].parallel += parallel;
}

void GatheredModel::turn(SpinWord mask, SpinWord from, SpinWord string, double value) {
  SpinModel::Move& move = moves_.try_emplace(mask, mask, from, string, 0, 0).first->second;
  move.opposite += value;
}

SpinModel GatheredModel::take(int sites, bool of_electrons) const {
  SpinModel model{.sites = sites, .of_electrons = of_electrons, .moves = {}, .energies = {}};
  for (const auto& [mask, move] : moves_) {
    require_finite(move.opposite + move.parallel);
    if (move.opposite != 0 || move.parallel != 0) model.moves.push_back(move);
  }
  for (const auto& [mask, value] : energies_) {
    require_finite(value);
    if (value != 0) model.energies.push_back({mask, value});
  }
  return model;
}

}  // namespace cisolve::ci

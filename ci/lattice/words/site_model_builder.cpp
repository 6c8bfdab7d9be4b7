#include "ci/lattice/words/site_model_builder.hpp"

#include <cmath>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

void require_finite(double value) {
  if (!std::isfinite(value))
    base::fail(base::ErrorKind::configuration,
               "the sum of terms on the same sites is infinite; expected smaller strengths");
}

}  // namespace

void SiteModelBuilder::add_flip(int a, int b, double opposite, double parallel) {
  const BasisState first = BasisState{1} << a;
  add_flip(first | BasisState{1} << b, first, 0, opposite);
  moves_[first | BasisState{1} << b].parallel += parallel;
}

void SiteModelBuilder::add_flip(BasisState mask, BasisState from, BasisState string, double value) {
  SiteModel::FlipTerm& move = moves_.try_emplace(mask, mask, from, string, 0, 0).first->second;
  move.opposite += value;
}

SiteModel SiteModelBuilder::take(int sites, bool holds_electrons) const {
  SiteModel model{.sites = sites, .holds_electrons = holds_electrons, .moves = {}, .energies = {}};
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

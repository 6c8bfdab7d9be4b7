#include "ci/fock/spaces/space_builder.hpp"

#include <algorithm>

namespace cisolve::ci {

SpaceBuilder::SpaceBuilder(int orbitals, std::vector<String> betas) {
  parts_.orbitals = orbitals;
  parts_.betas = std::move(betas);
}

StringNumber SpaceBuilder::number_of(const String& beta) const {
  return static_cast<StringNumber>(std::ranges::lower_bound(parts_.betas, beta) -
                                   parts_.betas.begin());
}

void SpaceBuilder::add(const String& alpha, const std::vector<StringNumber>& betas) {
  const auto [entry, is_new] = known_.emplace(betas, static_cast<StringNumber>(known_.size()));
  if (is_new) parts_.lists.push_back(betas);
  parts_.alphas.push_back(alpha);
  parts_.list_of.push_back(entry->second);
}

}  // namespace cisolve::ci

#include "ci/oracle/found_excitations.hpp"

#include <algorithm>

namespace cisolve::ci {

SameSpinDoubles::SameSpinDoubles(const ExcitationScreen& screen, const OracleIntegrals& integrals)
    : screen_(screen), integrals_(integrals), reachable_(screen.words()) {
  for (int s = 1; s < integrals.orbitals(); ++s)
    for (int q = 0; q < s; ++q)
      orbitals_.push_back({static_cast<std::uint8_t>(q), static_cast<std::uint8_t>(s)});
}

Index SameSpinDoubles::count(const StringOccupation& side) const {
  const auto n = std::ssize(side.occupied);
  const auto m = std::ssize(side.empty);
  return n * (n - 1) / 2 * (m * (m - 1) / 2);
}

void SameSpinDoubles::mark_reachable(const StringOccupation& side) {
  std::ranges::fill(reachable_, std::uint64_t{0});
  for (std::size_t i = 1; i < side.empty.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      ExcitationScreen::put(reachable_.data(),
                            ExcitationScreen::pair(side.empty[j], side.empty[i]));
}

}  // namespace cisolve::ci

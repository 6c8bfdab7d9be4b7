#include "ci/lattice/sectors/fermion_signs.hpp"

#include <vector>

namespace cisolve::ci {
namespace {

std::vector<BasisState> crossings(const SymmetrySector& sector) {
  std::vector<BasisState> crossed;
  if (!sector.holds_electrons) return crossed;
  for (const auto& [operation, matrix] : sector.operations)
    for (std::size_t p = 0; p < operation.to.size(); ++p) {
      BasisState before = 0;
      for (std::size_t q = p + 1; q < operation.to.size(); ++q)
        if (operation.to[q] < operation.to[p]) before |= BasisState{1} << q;
      crossed.push_back(before);
    }
  return crossed;
}

}  // namespace

FermionSigns::FermionSigns(const SymmetrySector& sector, const base::Backend& backend)
    : crossed_(
          base::Array<BasisState>::copy_of(crossings(sector), backend, "signs of symmetries")) {
  if (!sector.holds_electrons) return;
  view_ = {.crossed = crossed_.data(), .places = sector.places()};
}

}  // namespace cisolve::ci

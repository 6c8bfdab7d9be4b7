#include "ci/lattice/sectors/order_signs.hpp"

#include <vector>

namespace cisolve::ci {
namespace {

std::vector<SpinWord> crossings(const SpinSector& sector) {
  std::vector<SpinWord> crossed;
  if (!sector.of_electrons) return crossed;
  for (const auto& [operation, matrix] : sector.operations)
    for (std::size_t p = 0; p < operation.to.size(); ++p) {
      SpinWord before = 0;
      for (std::size_t q = p + 1; q < operation.to.size(); ++q)
        if (operation.to[q] < operation.to[p]) before |= SpinWord{1} << q;
      crossed.push_back(before);
    }
  return crossed;
}

}  // namespace

OrderSigns::OrderSigns(const SpinSector& sector, const base::Backend& backend)
    : crossed_(base::Array<SpinWord>::copy_of(crossings(sector), backend, "signs of symmetries")) {
  if (!sector.of_electrons) return;
  view_ = {.crossed = crossed_.data(), .places = sector.places()};
}

}  // namespace cisolve::ci

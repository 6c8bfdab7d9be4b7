#pragma once

#include <span>

#include "base/array.hpp"
#include "ci/lattice/sectors/spin_sector.hpp"

namespace cisolve::ci {

/// Fermion signs of a sector's operations, usable in kernels.
struct OrderSignsView {
  const SpinWord* crossed = nullptr;  // null for spins
  int places = 0;

  CISOLVE_HOST_DEVICE bool changes(int operation, SpinWord word) const {
    if (crossed == nullptr) return false;
    const SpinWord* row = crossed + static_cast<base::Index>(operation) * places;
    SpinWord odd = 0;
    for (int p = 0; p < places; ++p)
      if ((word >> p & 1) != 0) odd ^= row[p];
    return is_odd(word & odd);
  }
};

/// The table of this view in the memory of one backend: for each operation and place, the mask of
/// later places that it maps before this one. Each such occupied pair is a transposition.
class OrderSigns {
 public:
  OrderSigns(const SpinSector& sector, const base::Backend& backend);

  const OrderSignsView& view() const { return view_; }
  base::Index bytes() const { return crossed_.bytes(); }

 private:
  base::Array<SpinWord> crossed_;
  OrderSignsView view_;
};

}  // namespace cisolve::ci

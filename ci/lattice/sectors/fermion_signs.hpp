#pragma once

#include <span>

#include "base/array.hpp"
#include "ci/lattice/sectors/symmetry_sector.hpp"

namespace cisolve::ci {

/// Fermion signs of a sector's operations, usable in kernels.
struct FermionSignsView {
  const BasisState* crossed = nullptr;  // null for spins
  int places = 0;

  CISOLVE_HOST_DEVICE bool changes(int operation, BasisState word) const {
    if (crossed == nullptr) return false;
    const BasisState* row = crossed + static_cast<base::Index>(operation) * places;
    BasisState odd = 0;
    for (int p = 0; p < places; ++p)
      if ((word >> p & 1) != 0) odd ^= row[p];
    return is_odd(word & odd);
  }
};

/// The table of this view in the memory of one backend: for each operation and place, the mask of
/// later places that it maps before this one. Each such occupied pair is a transposition.
class FermionSigns {
 public:
  FermionSigns(const SymmetrySector& sector, const base::Backend& backend);

  const FermionSignsView& view() const { return view_; }
  base::Index bytes() const { return crossed_.bytes(); }

 private:
  base::Array<BasisState> crossed_;
  FermionSignsView view_;
};

}  // namespace cisolve::ci

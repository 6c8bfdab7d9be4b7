#pragma once

#include "ci/lattice/sectors/symmetry_sector.hpp"
#include "ci/lattice/sectors/wanted_symmetry.hpp"

namespace cisolve::ci {

/// The sector of a model on a lattice. Symmetries are verified against the bonds. Throws
/// ErrorKind::configuration for a symmetry that they lack, or for a momentum that a parity does not
/// map to plus or minus itself. `shape` is null if sites come from a list of bonds.
///
/// Real states of a momentum k other than 0 and pi contain k and -k. A mirror or inversion that
/// reverses k selects one combination; without one each energy is doubly degenerate.
SymmetrySector lattice_sector(const SiteModel& model, const LatticeShape* shape,
                              const WantedSymmetry& wanted);

}  // namespace cisolve::ci

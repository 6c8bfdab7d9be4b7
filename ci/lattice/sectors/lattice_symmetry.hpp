#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "ci/lattice/sectors/symmetry_sector.hpp"

namespace cisolve::ci {

using base::Index;

enum class LatticeParity { even, odd };

/// Requested symmetry of lattice states; what is not set is unrestricted.
struct WantedSymmetry {
  std::vector<Index> momentum = {};  // one per periodic direction, in units of 2 pi / length
  std::optional<LatticeParity> inversion = std::nullopt;
  std::optional<LatticeParity> columns =
      std::nullopt;  // mirror that reverses the columns; rows and layers likewise
  std::optional<LatticeParity> rows = std::nullopt;
  std::optional<LatticeParity> layers = std::nullopt;
  std::optional<LatticeParity> exchange = std::nullopt;  // mirror that swaps columns and rows
  std::optional<LatticeParity> rotation = std::nullopt;  // by 90 degrees; by 60 on a triangular net
  std::optional<LatticeParity> spin = std::nullopt;      // all spins flipped

  bool is_any() const;
};

/// The sector of a model on a lattice. Symmetries are verified against the bonds. Throws
/// ErrorKind::configuration for a symmetry that they lack, or for a momentum that a parity does not
/// map to plus or minus itself. `shape` is null if sites come from a list of bonds.
///
/// Real states of a momentum k other than 0 and pi contain k and -k. A mirror or inversion that
/// reverses k selects one combination; without one each energy is doubly degenerate.
SymmetrySector lattice_sector(const SiteModel& model, const LatticeShape* shape,
                              const WantedSymmetry& wanted);

}  // namespace cisolve::ci

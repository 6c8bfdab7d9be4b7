#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "ci/sectors/spin_sector.hpp"

namespace cisolve::ci {

using base::Index;

enum class LatticeParity { even, odd };

/// What is asked of states on a lattice; of a symmetry that is not named they may be anything.
struct WantedSymmetry {
  std::vector<Index> momentum = {};  // of each periodic direction, in units of 2 pi over its length
  std::optional<LatticeParity> inversion = std::nullopt;
  std::optional<LatticeParity> columns =
      std::nullopt;  // the mirror that turns columns round, and so on
  std::optional<LatticeParity> rows = std::nullopt;
  std::optional<LatticeParity> layers = std::nullopt;
  std::optional<LatticeParity> exchange = std::nullopt;  // the mirror that makes columns of rows
  std::optional<LatticeParity> rotation =
      std::nullopt;  // by 90 degrees, or by 60 on a net of triangles
  std::optional<LatticeParity> spin = std::nullopt;  // all spins turned over

  bool is_any() const;
};

/// The sector of a model on a lattice. Symmetries are looked for among the bonds: one that they do
/// not have is refused with Fault::configuration, and so are momenta with which a parity does not
/// go. `shape` is null where sites are those of a list of bonds.
///
/// Real states of a momentum other than 0 and pi have that of both signs. A mirror or an inversion
/// that turns the momentum round leaves one of the two; without one each energy is there twice.
SpinSector spin_sector(const SpinModel& model, const LatticeShape* shape,
                       const WantedSymmetry& wanted);

}  // namespace cisolve::ci

#pragma once

#include <optional>
#include <vector>

#include "base/types.hpp"

namespace cisolve::ci {

using base::Index;

enum class LatticeParity { even, odd };

/// Requested symmetry of lattice states; what is not set is unrestricted.
struct WantedSymmetry {
  std::vector<Index> momentum = {};  // one per periodic direction, in units of 2 pi / length
  std::optional<LatticeParity> inversion = std::nullopt;
  // Mirrors that reverse the order of columns, rows and layers.
  std::optional<LatticeParity> columns = std::nullopt;
  std::optional<LatticeParity> rows = std::nullopt;
  std::optional<LatticeParity> layers = std::nullopt;
  std::optional<LatticeParity> exchange = std::nullopt;  // mirror that swaps columns and rows
  /// Parity under a rotation by 90 degrees; by 60 on a triangular net.
  std::optional<LatticeParity> rotation = std::nullopt;
  std::optional<LatticeParity> spin = std::nullopt;  // parity when all spins are flipped

  bool is_any() const;
};

}  // namespace cisolve::ci

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ci/hamiltonian/factorised/same_spin_matrix.hpp"

namespace cisolve::ci {

/// Sparsity pattern of a same-spin matrix.
struct SameSpinPattern {
  base::Array<Index> offsets;
  base::Array<Column> columns;

  Index rows() const { return offsets.size() - 1; }
  std::span<const Column> of(Index row) const {
    return columns.span().subspan(offsets[row], offsets[row + 1] - offsets[row]);
  }
};

/// Occupied orbitals of the strings of a pattern's rows, ascending, and the group of each orbital:
/// single excitations stay within a group (such as an irrep).
struct StringOrbitals {
  int orbitals;
  int electrons;
  std::vector<const std::uint8_t*> occupied;  // [row]
  std::vector<int> groups;                    // [orbital]
};

/// An order of the rows (element i is the old row of new row i), one connected component after the
/// other, that fills tiles: rows with common columns are neighbours.
///
/// Orbitals are cut into low and high ones, along groups if possible. Strings with equal high parts
/// are contiguous. Low and high parts run in revolving-door order (a combinatorial Gray code), low
/// ones forwards and backwards in turn, so that neighbours differ by one electron in a complete
/// set. Of several cuts and the given order, the one with the fewest tiles in a sample of bands is
/// taken.
std::vector<Index> string_order(const SameSpinPattern& pattern, const StringOrbitals& strings,
                                const base::Backend& host);

}  // namespace cisolve::ci

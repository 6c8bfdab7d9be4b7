#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ci/factorised/string_matrix.hpp"

namespace cisolve::ci {

/// Where a string matrix has elements, its rows in some order.
struct StringPattern {
  base::Array<Index> offsets;
  base::Array<Column> columns;

  Index rows() const { return offsets.size() - 1; }
  std::span<const Column> of(Index row) const {
    return columns.span().subspan(offsets[row], offsets[row + 1] - offsets[row]);
  }
};

/// Which orbitals the strings of a pattern's rows occupy, ascending, and which of the orbitals
/// belong together: between those of one group single electrons move.
struct StringOrbitals {
  int orbitals;
  int electrons;
  std::vector<const std::uint8_t*> occupied;  // of each row
  std::vector<int> groups;                    // of orbitals
};

/// The rows of a pattern, one connected part after the other, so that those which share columns
/// stand together and tiles are full.
///
/// Orbitals are cut into low and high ones, groups as a whole where that can be. Strings with the
/// same high electrons stand together, and each differs from the one before by one electron (the
/// order of a revolving door, forth and back), where all strings are there; so do the high parts.
/// Which cut is best depends on how many electrons and orbitals there are: tiles are counted in a
/// sample of bands.
std::vector<Index> string_order(const StringPattern& pattern, const StringOrbitals& strings,
                                const base::Backend& host);

}  // namespace cisolve::ci

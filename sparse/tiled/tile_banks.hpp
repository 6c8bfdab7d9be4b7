#pragma once

#include <cstdint>
#include <vector>

#include "sparse/tiled/tiled.hpp"

namespace cisolve::sparse {

/// Reorders elements to avoid bank conflicts. Shared memory serves lanes that read x together at
/// once only if their values are in different banks, and the order of elements within a row is
/// free: at each step a lane takes, among the next elements of its row, one in a bank that no other
/// lane uses.
class BankConflictOrder {
 public:
  /// `vectors`: number of vectors multiplied at once.
  BankConflictOrder(TileCode code, int vectors);

  /// Reorders units [first_unit, first_unit + units).
  void arrange(Tiled& matrix, Index first_unit, Index units);

 private:
  bool ends_segment(Index element) const;
  unsigned bank(Index element) const { return codes_[element] & (banks_ - 1); }
  void arrange_lanes(int first, int stride);
  std::uint32_t banks_without_choice(int first, int stride, Index step) const;
  void choose(Index element, Index end, std::uint32_t& taken);
  void exchange(Index a, Index b);

  TileCode code_;
  int lanes_together_;  // lanes whose reads are served at once
  int rotations_;       // orders of the pairs of vectors; lanes of different rotation use different
                        // banks
  unsigned banks_;      // banks per rotation, a power of two
  Index length_ = 0;    // elements per lane
  std::vector<std::uint16_t> codes_;  // [lane][step]
  std::vector<double> values_;
  std::vector<Index> ends_;  // for each lane: end of its current row
};

}  // namespace cisolve::sparse

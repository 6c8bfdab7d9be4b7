#pragma once

#include <cstdint>
#include <vector>

#include "sparse/tiled/tiled.hpp"

namespace cisolve::sparse {

/// Orders what the lanes of a warp read. Shared memory serves lanes that read x together in one
/// turn only where their values lie in different banks, and the order of the elements of a row is
/// free: at each step a lane takes, of the next elements of its row, one whose bank no other lane
/// needs.
class BankOrder {
 public:
  /// For products with so many vectors at once.
  BankOrder(TileCode code, int vectors);

  /// For the units from `first_unit` to before `first_unit + units`.
  void arrange(Tiled& matrix, Index first_unit, Index units);

 private:
  bool ends_segment(Index element) const;
  unsigned bank(Index element) const { return codes_[element] & (banks_ - 1); }
  void arrange_lanes(int first, int stride);
  std::uint32_t banks_without_choice(int first, int stride, Index step) const;
  void choose(Index element, Index end, std::uint32_t& taken);
  void exchange(Index a, Index b);

  TileCode code_;
  int lanes_together_;  // whose reads are served at once
  int turns_;           // of the pairs of vectors; lanes of different turns use different banks
  unsigned banks_;      // that a turn has, a power of two
  Index length_ = 0;    // of each lane
  std::vector<std::uint16_t> codes_;  // [lane][step]
  std::vector<double> values_;
  std::vector<Index> ends_;  // of the row that each lane is in
};

}  // namespace cisolve::sparse

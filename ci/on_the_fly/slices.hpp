#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "base/host_device.hpp"

namespace cisolve::ci {

using base::Column;
using base::Index;

inline constexpr int kSliceRows = 32;

/// Where a move of a beta electron leads to within a list of beta strings, and by which pair of
/// orbitals, with the sign of the move, in 32 bits.
struct PackedMove {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr Index kMostPlaces = 65'535;  // of a list
  static constexpr Index kMostPairs = 32'767;

  std::uint32_t code = kNone;

  static PackedMove of(Index place, Index pair, bool odd) {
    return {static_cast<std::uint32_t>(place << 16 | pair << 1 | (odd ? 1 : 0))};
  }
  CISOLVE_HOST_DEVICE bool is_there() const { return code != kNone; }
  CISOLVE_HOST_DEVICE unsigned place() const { return code >> 16; }
  CISOLVE_HOST_DEVICE unsigned pair() const { return code >> 1 & 0x7fffU; }
  /// Twice the pair, one more where the sign changes.
  CISOLVE_HOST_DEVICE unsigned signed_pair() const { return code & 0xffffU; }
  CISOLVE_HOST_DEVICE bool is_odd() const { return (code & 1) != 0; }
};

/// Tables of moves as a kernel sees them. The rows of a table, 32 at a time, are slices, those with
/// about as many moves together; rows without any are in none. Move k of the row in lane l of a
/// slice stands at begins[slice] + 32 k + l.
struct SlicesView {
  const Index* first;         // slice of each table, and the end
  const Index* begins;        // of each slice, and the end
  const std::uint16_t* rows;  // 32 of each slice, kNoRow beyond the last one
  const PackedMove* moves;
  const double* values;  // of the moves, where these have any

  static constexpr std::uint16_t kNoRow = 0xffff;

  CISOLVE_HOST_DEVICE Index depth(Index slice) const {
    return (begins[slice + 1] - begins[slice]) / kSliceRows;
  }
};

class Slices {
 public:
  struct Move {
    PackedMove move;
    double value = 0;
  };
  /// Calls visit(move) for the moves of a row, always the same ones in the same order.
  using Visit = std::function<void(const Move&)>;
  using Moves = std::function<void(Index table, Index row, const Visit& visit)>;

  struct Rows {
    Index begin = 0;
    Index end = 0;
  };

  /// `tables` says which rows each has.
  Slices(std::span<const Rows> tables, bool has_values, const Moves& moves,
         const base::Backend& host);

  Slices to(const base::Backend& target) const;
  SlicesView view() const;
  Index bytes() const;
  /// How many moves there are, without what fills up slices.
  Index moves() const { return count_; }
  /// Of one table.
  Index moves_of(Index table) const { return counts_[table]; }

 private:
  Slices(base::Array<Index> first, base::Array<Index> begins, base::Array<std::uint16_t> rows,
         base::Array<PackedMove> moves, base::Array<double> values);
  /// Puts the moves of each row of a slice in an order by which lanes seldom wait for one another.
  void deal(Index slice);

  base::Array<Index> first_;
  base::Array<Index> begins_;
  base::Array<std::uint16_t> rows_;
  base::Array<PackedMove> moves_;
  base::Array<double> values_;
  std::vector<Index> counts_;  // of the tables
  Index count_ = 0;
};

}  // namespace cisolve::ci

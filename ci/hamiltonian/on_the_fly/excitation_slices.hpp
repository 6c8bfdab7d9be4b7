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

/// An excitation of a beta string in 32 bits: position of the target in its list (16), pair of
/// orbitals (15), sign (1).
struct PackedExcitation {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr Index kMostPlaces = 65'535;  // strings of a list
  static constexpr Index kMostPairs = 32'767;

  std::uint32_t code = kNone;

  static PackedExcitation of(Index place, Index pair, bool odd) {
    return {static_cast<std::uint32_t>(place << 16 | pair << 1 | (odd ? 1 : 0))};
  }
  CISOLVE_HOST_DEVICE bool is_there() const { return code != kNone; }
  CISOLVE_HOST_DEVICE unsigned place() const { return code >> 16; }
  CISOLVE_HOST_DEVICE unsigned pair() const { return code >> 1 & 0x7fffU; }
  /// 2 * pair, + 1 if the sign changes.
  CISOLVE_HOST_DEVICE unsigned signed_pair() const { return code & 0xffffU; }
  CISOLVE_HOST_DEVICE bool is_odd() const { return (code & 1) != 0; }
};

/// Tables of excitations in SELL-C-sigma (Kreutzer et al. 2014; C = 32, sigma = a table's rows).
/// Rows without excitations are left out. Excitation k of the row in lane l of a slice is stored at
/// begins[slice] + 32 k + l.
struct ExcitationSlicesView {
  const Index* first;         // first slice of each table, and the end
  const Index* begins;        // [slice], and the end
  const std::uint16_t* rows;  // 32 per slice, padded with kNoRow
  const PackedExcitation* moves;
  const double* values;  // values of the excitations, if stored

  static constexpr std::uint16_t kNoRow = 0xffff;

  CISOLVE_HOST_DEVICE Index depth(Index slice) const {
    return (begins[slice + 1] - begins[slice]) / kSliceRows;
  }
};

class ExcitationSlices {
 public:
  struct Entry {
    PackedExcitation move;
    double value = 0;
  };
  /// Calls visit(entry) for the excitations of a row, in the same order each time.
  using Visit = std::function<void(const Entry&)>;
  using Moves = std::function<void(Index table, Index row, const Visit& visit)>;

  struct Rows {
    Index begin = 0;
    Index end = 0;
  };

  /// `tables`: the rows of each.
  ExcitationSlices(std::span<const Rows> tables, bool has_values, const Moves& moves,
                   const base::Backend& host);

  ExcitationSlices to(const base::Backend& target) const;
  ExcitationSlicesView view() const;
  Index bytes() const;
  /// Number of excitations, padding excluded.
  Index moves() const { return count_; }
  /// Number of excitations of one table.
  Index moves_of(Index table) const { return counts_[table]; }

 private:
  ExcitationSlices(base::Array<Index> first, base::Array<Index> begins,
                   base::Array<std::uint16_t> rows, base::Array<PackedExcitation> moves,
                   base::Array<double> values);
  /// Orders the excitations of each row of a slice to reduce bank conflicts.
  void deal(Index slice);

  base::Array<Index> first_;
  base::Array<Index> begins_;
  base::Array<std::uint16_t> rows_;
  base::Array<PackedExcitation> moves_;
  base::Array<double> values_;
  std::vector<Index> counts_;  // [table]
  Index count_ = 0;
};

}  // namespace cisolve::ci

#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "base/types.hpp"

namespace cisolve::sparse {

using base::Index;

/// A hash table of up to 256 values, compared bitwise, one per slot; threads may insert
/// concurrently. A value keeps its slot; the slot depends on the order of insertion.
struct ValueSlots {
  static constexpr int kSlots = 256;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // a NaN; such a value has no slot

  std::uint64_t bits[kSlots];
  std::uint32_t overflow;  // non-zero: more values than slots

  static ValueSlots none();

  /// Returns the value's slot, inserting it if new; -1 if the table is full. Thread-safe on a host.
  int take(double value);
  /// Returns kSlots + 1 after an overflow.
  Index count() const;
  /// Inserts the values of another table.
  void add(const ValueSlots& others);
};

/// Separate tables for the values off the diagonal and on it.
struct MatrixValues {
  ValueSlots off_diagonal = ValueSlots::none();
  ValueSlots diagonal = ValueSlots::none();

  int take(Index row, Index column, double value) {
    return (row == column ? diagonal : off_diagonal).take(value);
  }
  /// Number of distinct values of both tables, as ValueSlots::count().
  Index count() const;
  /// True if a one-byte code per element suffices, possibly with a code for "the row's diagonal".
  bool has_codes() const { return codes_suffice(count(), off_diagonal.count()); }
  static bool codes_suffice(Index all, Index off_diagonal) {
    return all <= ValueSlots::kSlots || off_diagonal < ValueSlots::kSlots;
  }
  void add(const MatrixValues& others);
};

/// Slot of these bits, or -1. read(slot) returns a slot's content, possibly stale while it is
/// empty; claim(slot) inserts the bits into an empty slot and returns its previous content.
template <class Read, class Claim>
CISOLVE_HOST_DEVICE int slot_of(std::uint64_t bits, Read&& read, Claim&& claim) {
  if (bits == ValueSlots::kEmpty) return -1;
  const auto first = static_cast<int>((bits * 0x9e3779b97f4a7c15U) >> 56);
  for (int probe = 0; probe < ValueSlots::kSlots; ++probe) {
    const int slot = (first + probe) % ValueSlots::kSlots;
    std::uint64_t found = read(slot);
    if (found == ValueSlots::kEmpty) found = claim(slot);
    if (found == ValueSlots::kEmpty || found == bits) return slot;
  }
  return -1;
}

}  // namespace cisolve::sparse

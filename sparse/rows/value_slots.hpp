#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "base/types.hpp"

namespace cisolve::sparse {

using base::Index;

/// Up to 256 values, to the bit, each in a slot of its own, which many threads may fill at once. A
/// value stays where it is put; where that is, depends on which came first.
struct ValueSlots {
  static constexpr int kSlots = 256;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // no number; such a value has no slot

  std::uint64_t bits[kSlots];
  std::uint32_t overflow;  // not 0: there are more values than slots

  static ValueSlots none();

  /// The slot of a value, which is put into a free one where it is new; -1 where none is left. By
  /// threads of the host.
  int take(double value);
  /// kSlots + 1 where there are more than slots.
  Index count() const;
  /// Puts the values of others in.
  void add(const ValueSlots& others);
};

/// Slots for the values off the diagonal of a matrix and for those on it.
struct MatrixValues {
  ValueSlots beside = ValueSlots::none();
  ValueSlots diagonal = ValueSlots::none();

  int take(Index row, Index column, double value) {
    return (row == column ? diagonal : beside).take(value);
  }
  /// Of both together, as ValueSlots counts them.
  Index count() const;
  /// Whether a byte may tell which one an element has, if need be "that of the diagonal" as well.
  bool has_codes() const { return codes_suffice(count(), beside.count()); }
  static bool codes_suffice(Index all, Index beside) {
    return all <= ValueSlots::kSlots || beside < ValueSlots::kSlots;
  }
  void add(const MatrixValues& others);
};

/// The slot of these bits, or -1. `read` says what a slot holds, which may be out of date while it
/// is empty; `claim` puts the bits into one that is empty and says what it held before.
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

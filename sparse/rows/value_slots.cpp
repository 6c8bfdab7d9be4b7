#include "sparse/rows/value_slots.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace cisolve::sparse {

ValueSlots ValueSlots::none() {
  ValueSlots slots;
  std::ranges::fill(slots.bits, kEmpty);
  slots.overflow = 0;
  return slots;
}

int ValueSlots::take(double value) {
  const std::atomic_ref full(overflow);
  if (full.load(std::memory_order_relaxed) != 0) return -1;
  const auto wanted = std::bit_cast<std::uint64_t>(value);
  const int slot = slot_of(
      wanted, [&](int i) { return std::atomic_ref(bits[i]).load(std::memory_order_relaxed); },
      [&](int i) {
        std::uint64_t held = kEmpty;
        std::atomic_ref(bits[i]).compare_exchange_strong(held, wanted);
        return held;
      });
  if (slot < 0) full.store(1, std::memory_order_relaxed);
  return slot;
}

Index ValueSlots::count() const {
  if (overflow != 0) return kSlots + 1;
  return kSlots - std::ranges::count(bits, kEmpty);
}

void ValueSlots::add(const ValueSlots& others) {
  for (const std::uint64_t one : others.bits)
    if (one != kEmpty) take(std::bit_cast<double>(one));
  overflow |= others.overflow;
}

Index MatrixValues::count() const {
  ValueSlots all = off_diagonal;
  all.add(diagonal);
  return all.count();
}

void MatrixValues::add(const MatrixValues& others) {
  off_diagonal.add(others.off_diagonal);
  diagonal.add(others.diagonal);
}

}  // namespace cisolve::sparse

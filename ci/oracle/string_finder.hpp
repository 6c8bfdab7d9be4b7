#pragma once

#include <span>

#include "base/array.hpp"
#include "ci/fock/strings/string.hpp"

namespace cisolve::ci {

using base::Index;

/// Hash table of the strings of one spin. The key is the XOR of random keys of the orbitals
/// (Zobrist hashing), so that an excitation updates it by its orbitals alone. A slot holds the
/// string's number and, above it, half of the key. Used by the oracle alone.
class StringFinder {
 public:
  using Slot = std::uint64_t;
  static constexpr Slot kNone = ~Slot{0};
  static constexpr Slot kNumber = 0xffffffffU;

  StringFinder(std::span<const String> strings, const base::Backend& host);

  Index size() const { return strings_.size(); }
  const String& operator[](Index i) const { return strings_[i]; }

  std::uint64_t key_of(int orbital) const { return keys_[orbital]; }
  std::uint64_t key_of(const String& string) const {
    std::uint64_t key = 0;
    string.for_each([&](int p) { key ^= keys_[p]; });
    return key;
  }

  /// The number of `string`, whose key this is; -1 if absent.
  StringNumber find(std::uint64_t key, const String& string) const {
    for (Index slot = static_cast<Index>(key) & mask_;; slot = (slot + 1) & mask_) {
      const Slot found = slots_[slot];
      if (found == kNone) return -1;
      if (found >> 32 == key >> 32 && strings_[static_cast<Index>(found & kNumber)] == string)
        return static_cast<StringNumber>(found & kNumber);
    }
  }

  const base::Array<std::uint64_t>& keys() const { return keys_; }
  const base::Array<String>& strings() const { return strings_; }
  const base::Array<Slot>& slots() const { return slots_; }
  Index bytes() const { return strings_.bytes() + slots_.bytes(); }

 private:
  base::Array<std::uint64_t> keys_;  // indexed by orbital
  base::Array<String> strings_;
  base::Array<Slot> slots_;  // at least twice as many as strings
  Index mask_;
};

}  // namespace cisolve::ci

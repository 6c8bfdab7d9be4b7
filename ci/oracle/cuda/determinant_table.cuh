#pragma once

#include <cuda_runtime.h>

#include "base/random.hpp"
#include "base/types.hpp"
#include "ci/fock/strings/string.hpp"

namespace cisolve::ci::cuda {

using base::Index;

/// The string numbers of a determinant.
struct DeterminantNumbers {
  StringNumber alpha;
  StringNumber beta;
};

/// A single or double excitation within one string.
struct OrbitalExcitation {
  int from;
  int to;
  int second_from = -1;  // -1: a single excitation
  int second_to = -1;

  /// Word w of a string after the excitation.
  __device__ std::uint64_t applied(std::uint64_t word, int w) const {
    return word ^ bit(from, w) ^ bit(to, w) ^ bit(second_from, w) ^ bit(second_to, w);
  }

 private:
  static __device__ std::uint64_t bit(int p, int w) {
    return p >= 0 && p / 64 == w ? std::uint64_t{1} << (p % 64) : 0;
  }
};

/// Device view of a StringFinder.
struct StringTable {
  const std::uint64_t* keys;  // indexed by orbital
  const String* strings;
  const std::uint64_t* slots;
  std::uint64_t mask;

  __device__ std::uint64_t key_of(const String& string) const {
    std::uint64_t key = 0;
    for (int w = 0; w < String::kWords; ++w)
      for (std::uint64_t word = string.words()[w]; word != 0; word &= word - 1)
        key ^= keys[64 * w + __ffsll(static_cast<long long>(word)) - 1];
    return key;
  }

  __device__ std::uint64_t moved(std::uint64_t key, const OrbitalExcitation& moves) const {
    key ^= keys[moves.from] ^ keys[moves.to];
    if (moves.second_from >= 0) key ^= keys[moves.second_from] ^ keys[moves.second_to];
    return key;
  }

  /// The string reached from `from`, whose key is given; -1 if absent.
  __device__ StringNumber find(std::uint64_t key_of_from, const String& from,
                               const OrbitalExcitation& moves) const {
    const std::uint64_t key = moved(key_of_from, moves);
    for (std::uint64_t slot = key & mask;; slot = (slot + 1) & mask) {
      const std::uint64_t found = slots[slot];
      if (found == ~std::uint64_t{0}) return -1;
      const auto number = static_cast<StringNumber>(found & 0xffffffffU);
      if (found >> 32 == key >> 32 && leads_to(from, strings[number], moves)) return number;
    }
  }

 private:
  static __device__ bool leads_to(const String& from, const String& to,
                                  const OrbitalExcitation& moves) {
    std::uint64_t difference = 0;
#pragma unroll
    for (int w = 0; w < String::kWords; ++w)
      difference |= moves.applied(from.words()[w], w) ^ to.words()[w];
    return difference == 0;
  }
};

/// Finds a row by its strings: through a position table if there are few lists, else through a hash
/// table of all rows.
struct DeterminantTable {
  using Slot = unsigned long long;  // tag and row; all bits set: empty
  static constexpr Slot kNone = ~Slot{0};
  static constexpr int kRowBits = 40;

  StringTable strings[2];
  const DeterminantNumbers* pairs;
  const Index* first_row;         // indexed by alpha string
  const StringNumber* list_of;    // indexed by alpha string
  const StringNumber* positions;  // lists x betas, -1: absent; null: use the slots
  Index betas;
  Slot* slots;
  std::uint64_t mask;

  __device__ const String& string(int spin, Index row) const {
    return strings[spin].strings[spin == 0 ? pairs[row].alpha : pairs[row].beta];
  }

  __device__ void insert(Index row) const {
    const std::uint64_t key = key_of(pairs[row].alpha, pairs[row].beta);
    const Slot mine = (key >> kRowBits << kRowBits) | static_cast<Slot>(row);
    std::uint64_t slot = key & mask;
    while (atomicCAS(slots + slot, kNone, mine) != kNone) slot = (slot + 1) & mask;
  }

  /// Returns -1 if the determinant is not in the space.
  __device__ Index find(StringNumber alpha, StringNumber beta) const {
    if (positions != nullptr) {
      const StringNumber place = positions[list_of[alpha] * betas + beta];
      return place < 0 ? -1 : first_row[alpha] + place;
    }
    const std::uint64_t key = key_of(alpha, beta);
    for (std::uint64_t slot = key & mask;; slot = (slot + 1) & mask) {
      const Slot found = slots[slot];
      if (found == kNone) return -1;
      const auto row = static_cast<Index>(found & ((Slot{1} << kRowBits) - 1));
      if (found >> kRowBits == key >> kRowBits && pairs[row].alpha == alpha &&
          pairs[row].beta == beta)
        return row;
    }
  }

 private:
  static __device__ std::uint64_t key_of(StringNumber alpha, StringNumber beta) {
    return base::mix(static_cast<std::uint64_t>(alpha) << 32 | static_cast<std::uint32_t>(beta));
  }
};

}  // namespace cisolve::ci::cuda

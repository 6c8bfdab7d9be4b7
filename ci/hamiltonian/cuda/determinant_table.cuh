#pragma once

#include <cuda_runtime.h>

#include "base/types.hpp"
#include "ci/strings/string.hpp"

namespace cisolve::ci::cuda {

using base::Index;

/// A determinant by the numbers of its strings.
struct StringPair {
  StringNumber alpha;
  StringNumber beta;
};

/// One or two electrons that change their orbitals.
struct Moves {
  int spin;
  int from;
  int to;
  int second_spin = -1;  // -1: only one
  int second_from = 0;
  int second_to = 0;

  /// Word w of a string after the moves.
  __device__ std::uint64_t applied(std::uint64_t word, int of_spin, int w) const {
    if (spin == of_spin) word ^= bit(from, w) | bit(to, w);
    if (second_spin == of_spin) word ^= bit(second_from, w) | bit(second_to, w);
    return word;
  }

 private:
  static __device__ std::uint64_t bit(int p, int w) {
    return p / 64 == w ? std::uint64_t{1} << (p % 64) : 0;
  }
};

/// Finds the row of a determinant. Its key is the XOR of its orbitals' keys; the low bits choose a
/// slot, the high ones tell determinants apart until the strings decide.
struct DeterminantTable {
  using Slot = unsigned long long;  // tag and row; all bits set where there is none
  static constexpr Slot kNone = ~Slot{0};
  static constexpr int kRowBits = 40;

  const std::uint64_t* keys;  // of alpha orbitals, then of beta ones
  const String* strings[2];
  const StringPair* pairs;
  Slot* slots;
  std::uint64_t mask;

  __device__ std::uint64_t orbital_key(int spin, int p) const {
    return keys[spin * String::kWords * 64 + p];
  }

  __device__ std::uint64_t key_of(int spin, const String& string) const {
    std::uint64_t key = 0;
    for (int w = 0; w < String::kWords; ++w)
      for (std::uint64_t word = string.words()[w]; word != 0; word &= word - 1)
        key ^= orbital_key(spin, 64 * w + __ffsll(static_cast<long long>(word)) - 1);
    return key;
  }

  __device__ const String& string(int spin, Index row) const {
    return strings[spin][spin == 0 ? pairs[row].alpha : pairs[row].beta];
  }

  __device__ void insert(Index row) const {
    const std::uint64_t key = key_of(0, string(0, row)) ^ key_of(1, string(1, row));
    const Slot mine = (key >> kRowBits << kRowBits) | static_cast<Slot>(row);
    std::uint64_t slot = key & mask;
    while (atomicCAS(slots + slot, kNone, mine) != kNone) slot = (slot + 1) & mask;
  }

  /// The row that `moves` lead to from a row, and which has the key; -1 where there is none.
  __device__ Index find(std::uint64_t key, Index from, const Moves& moves) const {
    for (std::uint64_t slot = key & mask;; slot = (slot + 1) & mask) {
      const Slot found = __ldg(slots + slot);
      if (found == kNone) return -1;
      const auto row = static_cast<Index>(found & ((Slot{1} << kRowBits) - 1));
      if (found >> kRowBits == key >> kRowBits && leads_to(from, row, moves)) return row;
    }
  }

 private:
  __device__ bool leads_to(Index from, Index row, const Moves& moves) const {
    std::uint64_t difference = 0;
#pragma unroll
    for (int spin = 0; spin < 2; ++spin) {
      const String& here = string(spin, from);
      const String& there = string(spin, row);
      for (int w = 0; w < String::kWords; ++w)
        difference |= moves.applied(here.words()[w], spin, w) ^ there.words()[w];
    }
    return difference == 0;
  }
};

}  // namespace cisolve::ci::cuda

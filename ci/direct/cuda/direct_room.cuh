#pragma once

#include "ci/direct/cuda/determinant_table.cuh"
#include "ci/direct/direct_integrals.hpp"

namespace cisolve::ci::cuda {

struct IntegralsView {
  int orbitals;
  Index pairs;
  double core_energy;
  const double* one[2];   // n x n, of either spin
  const double* same[2];  // packed by pairs twice
  const double* mixed;    // pairs x pairs; null where restricted

  /// (pq|rs) with all four of one spin.
  __device__ double two(int spin, int p, int q, int r, int s) const {
    return same[spin][packed_place(packed_place(p, q), packed_place(r, s))];
  }
  /// (pq|rs) with pq of one spin and rs of the other one.
  __device__ double across(int spin, int p, int q, int r, int s) const {
    const Index left = packed_place(p, q);
    const Index right = packed_place(r, s);
    if (mixed == nullptr) return same[0][packed_place(left, right)];
    return spin == 0 ? mixed[left * pairs + right] : mixed[right * pairs + left];
  }
};

/// The sets of bits of a MoveScreen, and what follows from them.
struct ScreenView {
  int pairs;
  int words;
  const std::uint64_t* singles[2];
  const std::uint64_t* doubles[2];
  bool has_doubles[2];
  const std::uint64_t* mixed;
  const std::uint64_t* with_mixed[2];  // pairs of either spin that move with any of the other one
  const uchar2* orbitals;              // of the pairs, the higher one first

  static __device__ int pair(int p, int q) {
    return p > q ? p * (p - 1) / 2 + q : q * (q - 1) / 2 + p;
  }
  static __device__ bool has(const std::uint64_t* set, int pair) {
    return (set[pair / 64] >> (pair % 64) & 1) != 0;
  }
};

/// One spin of a row: who is in, who is out, and how many are in before each orbital.
struct Side {
  std::uint8_t occupied[kMostOrbitals];
  std::uint8_t empty[kMostOrbitals];
  std::uint8_t before[kMostOrbitals];
};

/// One or two moves whose element is there.
struct Candidate {
  StringNumber
      alpha;  // the alpha string that the first one leads to; not of two electrons of one spin
  std::uint8_t from;
  std::uint8_t to;
  std::uint8_t second_from;
  std::uint8_t second_to;
};

/// What the lanes of a warp share. Sets of bits, and the beta strings that single moves lead to,
/// are as long as there are pairs, so they stand elsewhere.
struct Room {
  Side side[2];
  Candidate queue[64];            // those that wait until every lane has one
  Candidate singles[32];          // of alpha electrons
  unsigned long long* reachable;  // the pairs of orbitals that two electrons can reach
  unsigned long long* movable;    // the pairs by which a beta electron comes to another string
  StringNumber* targets;          // and to which
};

}  // namespace cisolve::ci::cuda

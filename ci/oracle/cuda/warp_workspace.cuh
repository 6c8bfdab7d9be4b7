#pragma once

#include "ci/oracle/cuda/determinant_table.cuh"
#include "ci/oracle/oracle_integrals.hpp"

namespace cisolve::ci::cuda {

struct IntegralsView {
  int orbitals;
  Index pairs;
  double core_energy;
  const double* one[2];   // n x n, by spin
  const double* same[2];  // packed triangle over packed pairs
  const double* mixed;    // pairs x pairs; null if restricted

  /// (pq|rs), all of one spin.
  __device__ double two(int spin, int p, int q, int r, int s) const {
    return same[spin][packed_place(packed_place(p, q), packed_place(r, s))];
  }
  /// (pq|rs), pq of spin `spin`, rs of the other.
  __device__ double across(int spin, int p, int q, int r, int s) const {
    const Index left = packed_place(p, q);
    const Index right = packed_place(r, s);
    if (mixed == nullptr) return same[0][packed_place(left, right)];
    return spin == 0 ? mixed[left * pairs + right] : mixed[right * pairs + left];
  }
};

/// Device view of an ExcitationScreen.
struct ScreenView {
  int pairs;
  int words;
  const std::uint64_t* singles[2];
  const std::uint64_t* doubles[2];
  bool has_doubles[2];
  const std::uint64_t* mixed;
  /// For each spin, singles that combine with any of the other spin.
  const std::uint64_t* with_mixed[2];
  const uchar2* orbitals;  // orbitals of each pair, the higher one first

  static __device__ int pair(int p, int q) {
    return p > q ? p * (p - 1) / 2 + q : q * (q - 1) / 2 + p;
  }
  static __device__ bool has(const std::uint64_t* set, int pair) {
    return (set[pair / 64] >> (pair % 64) & 1) != 0;
  }
};

/// The occupied and empty orbitals of a row's string, and the number of electrons below each
/// orbital.
struct OccupationTable {
  std::uint8_t occupied[kMostOrbitals];
  std::uint8_t empty[kMostOrbitals];
  std::uint8_t before[kMostOrbitals];
};

/// A single or double excitation with an element, not yet looked up.
struct PendingExcitation {
  StringNumber alpha;  // target of the alpha single; unused in same-spin doubles
  std::uint8_t from;
  std::uint8_t to;
  std::uint8_t second_from;
  std::uint8_t second_to;
};

/// Shared memory of a warp. Bit sets and targets of beta singles are sized by orbital pairs and so
/// kept elsewhere.
struct WarpWorkspace {
  OccupationTable side[2];
  PendingExcitation queue[64];    // waits until every lane has one
  PendingExcitation singles[32];  // singles of the alpha string
  unsigned long long* reachable;  // pairs of empty orbitals
  unsigned long long* movable;    // beta singles with a target string
  StringNumber* targets;          // target strings of these singles
};

}  // namespace cisolve::ci::cuda

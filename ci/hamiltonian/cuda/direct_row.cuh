#pragma once

#include "base/random.hpp"
#include "ci/hamiltonian/cuda/determinant_table.cuh"
#include "ci/integrals/integrals.hpp"

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
    return same[spin][pair_index(pair_index(p, q), pair_index(r, s))];
  }
  /// (pq|rs) with pq of one spin and rs of the other one.
  __device__ double across(int spin, int p, int q, int r, int s) const {
    const Index left = pair_index(p, q);
    const Index right = pair_index(r, s);
    if (mixed == nullptr) return same[0][pair_index(left, right)];
    return spin == 0 ? mixed[left * pairs + right] : mixed[right * pairs + left];
  }
};

/// One row of H times a vector: every move of one or two electrons is tried, and the determinant it
/// leads to is looked up. A warp works on it, the lanes on different moves.
class DirectRow {
 public:
  /// One spin of the row: who is in, who is out, and how many are in before each orbital.
  struct Side {
    std::uint8_t occupied[kMostOrbitals];
    std::uint8_t empty[kMostOrbitals];
    std::uint8_t before[kMostOrbitals];
  };
  using Room = Side[2];

  __device__ DirectRow(const DeterminantTable& table, const IntegralsView& integrals,
                       double threshold, Index row, const double* x, Room& room)
      : table_(table), integrals_(integrals), threshold_(threshold), row_(row), x_(x), side_(room) {
#pragma unroll
    for (int spin = 0; spin < 2; ++spin) {
      const String& string = table.string(spin, row);
      key_ ^= table.key_of(spin, string);
      electrons_[spin] = fill(string, side_[spin]);
      empty_[spin] = integrals.orbitals - electrons_[spin];
    }
    __syncwarp();
  }

  __device__ double sum() {
    add_diagonal();
#pragma unroll
    for (int spin = 0; spin < 2; ++spin) {
      add_singles(spin);
      add_doubles(spin);
    }
    add_pairs();
    for (int distance = 16; distance > 0; distance /= 2)
      sum_ += __shfl_down_sync(0xffffffffU, sum_, distance);
    return sum_;
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }

  __device__ int fill(const String& string, Side& side) const {
    for (int p = lane(); p < integrals_.orbitals; p += 32) {
      int before = 0;
      for (int w = 0; w < p / 64; ++w) before += __popcll(string.words()[w]);
      const std::uint64_t word = string.words()[p / 64];
      const std::uint64_t bit = std::uint64_t{1} << (p % 64);
      before += __popcll(word & (bit - 1));
      side.before[p] = static_cast<std::uint8_t>(before);
      if ((word & bit) != 0)
        side.occupied[before] = static_cast<std::uint8_t>(p);
      else
        side.empty[p - before] = static_cast<std::uint8_t>(p);
    }
    int count = 0;
    for (int w = 0; w < String::kWords; ++w) count += __popcll(string.words()[w]);
    return count;
  }

  /// Whether moving an electron changes the sign: it passes those between the two orbitals.
  __device__ bool is_odd(int spin, int from, int to) const {
    const Side& side = side_[spin];
    return ((side.before[from] + side.before[to] + (from < to ? 1 : 0)) & 1) != 0;
  }

  /// The same for a second move after a first one.
  __device__ bool is_odd_after(int spin, int from, int to, int first_from, int first_to) const {
    const int moved = (first_from < from ? 1 : 0) + (first_to < from ? 1 : 0) +
                      (first_from < to ? 1 : 0) + (first_to < to ? 1 : 0);
    return is_odd(spin, from, to) != ((moved & 1) != 0);
  }

  __device__ void add(Index column, bool odd, double value) {
    if (value <= threshold_ && value >= -threshold_) return;
    sum_ += (odd ? -value : value) * x_[column];
  }

  /// Each lane takes some electrons: their own part, and half of what they share.
  __device__ void add_diagonal() {
    double value = lane() == 0 ? integrals_.core_energy : 0;
#pragma unroll
    for (int spin = 0; spin < 2; ++spin)
      for (int i = lane(); i < electrons_[spin]; i += 32) {
        const int p = side_[spin].occupied[i];
        value += integrals_.one[spin][p * integrals_.orbitals + p];
        for (int j = 0; j < electrons_[spin]; ++j) {
          const int q = side_[spin].occupied[j];
          value += 0.5 * (integrals_.two(spin, p, p, q, q) - integrals_.two(spin, p, q, q, p));
        }
        if (spin == 1) continue;
        for (int j = 0; j < electrons_[1]; ++j) {
          const int q = side_[1].occupied[j];
          value += integrals_.across(0, p, p, q, q);
        }
      }
    sum_ += value * x_[row_];
  }

  __device__ std::uint64_t moved(std::uint64_t key, int spin, int p, int q) const {
    return key ^ table_.orbital_key(spin, p) ^ table_.orbital_key(spin, q);
  }

  __device__ void add_singles(int spin) {
    const Side& side = side_[spin];
    for (int m = lane(); m < electrons_[spin] * empty_[spin]; m += 32) {
      const int p = side.occupied[m / empty_[spin]];
      const int q = side.empty[m % empty_[spin]];
      const Moves moves{spin, p, q};
      const Index column = table_.find(moved(key_, spin, p, q), row_, moves);
      if (column >= 0) add(column, is_odd(spin, p, q), single_value(spin, p, q));
    }
  }

  __device__ double single_value(int spin, int p, int q) const {
    double value = integrals_.one[spin][p * integrals_.orbitals + q];
    for (int i = 0; i < electrons_[spin]; ++i) {
      const int k = side_[spin].occupied[i];
      value += integrals_.two(spin, p, q, k, k) - integrals_.two(spin, p, k, k, q);
    }
    for (int i = 0; i < electrons_[1 - spin]; ++i) {
      const int k = side_[1 - spin].occupied[i];
      value += integrals_.across(spin, p, q, k, k);
    }
    return value;
  }

  __device__ void add_doubles(int spin) {
    const Side& side = side_[spin];
    const int empty = empty_[spin];
    for (int j = 1; j < electrons_[spin]; ++j)
      for (int i = 0; i < j; ++i)
        for (int m = lane(); m < empty * empty; m += 32) {
          if (m / empty >= m % empty) continue;
          const int p = side.occupied[i];
          const int r = side.occupied[j];
          const int q = side.empty[m / empty];
          const int s = side.empty[m % empty];
          const Moves moves{spin, p, q, spin, r, s};
          const Index column = table_.find(moved(moved(key_, spin, p, q), spin, r, s), row_, moves);
          if (column < 0) continue;
          add(column, is_odd(spin, p, q) != is_odd_after(spin, r, s, p, q),
              integrals_.two(spin, p, q, r, s) - integrals_.two(spin, p, s, r, q));
        }
  }

  /// An alpha and a beta electron: all lanes share the first move.
  __device__ void add_pairs() {
    const Side& beta = side_[1];
    for (int i = 0; i < electrons_[0]; ++i)
      for (int j = 0; j < empty_[0]; ++j) {
        const int p = side_[0].occupied[i];
        const int q = side_[0].empty[j];
        const bool odd = is_odd(0, p, q);
        const std::uint64_t key = moved(key_, 0, p, q);
        for (int m = lane(); m < electrons_[1] * empty_[1]; m += 32) {
          const int r = beta.occupied[m / empty_[1]];
          const int s = beta.empty[m % empty_[1]];
          const Moves moves{0, p, q, 1, r, s};
          const Index column = table_.find(moved(key, 1, r, s), row_, moves);
          if (column >= 0) add(column, odd != is_odd(1, r, s), integrals_.across(0, p, q, r, s));
        }
      }
  }

  const DeterminantTable table_;
  const IntegralsView integrals_;
  double threshold_;
  Index row_;
  const double* x_;
  Room& side_;
  std::uint64_t key_ = 0;
  int electrons_[2];
  int empty_[2];
  double sum_ = 0;
};

}  // namespace cisolve::ci::cuda

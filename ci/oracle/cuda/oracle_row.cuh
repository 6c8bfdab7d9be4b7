#pragma once

#include "ci/oracle/cuda/warp_workspace.cuh"

namespace cisolve::ci::cuda {

/// One row of H times kColumns vectors, by one warp: lanes scan the sets of allowed excitations,
/// and as soon as every lane has one, all look up their targets together. The assignment to lanes
/// depends on the row alone, so sums have the same bits in each run and for any number of vectors.
template <int kColumns>
class OracleRow {
 public:
  __device__ OracleRow(const DeterminantTable& table, const IntegralsView& integrals,
                       const ScreenView& screen, double threshold, Index row, const double* x,
                       Index stride, WarpWorkspace& workspace)
      : table_(table),
        integrals_(integrals),
        screen_(screen),
        threshold_(threshold),
        row_(row),
        x_(x),
        stride_(stride),
        workspace_(workspace) {
#pragma unroll
    for (int spin = 0; spin < 2; ++spin) {
      const String& string = table.string(spin, row);
      keys_[spin] = table.strings[spin].key_of(string);
      electrons_[spin] = fill(string, workspace.side[spin]);
      empty_[spin] = integrals.orbitals - electrons_[spin];
    }
    __syncwarp();
  }

  /// The result is valid in lane 0.
  __device__ void sum(double (&sums)[kColumns]) {
    add_diagonal();
#pragma unroll
    for (int spin = 0; spin < 2; ++spin) add_doubles(spin);
    add_beta_singles();
    add_alpha_singles();
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      for (int distance = 16; distance > 0; distance /= 2)
        sums_[j] += __shfl_down_sync(kAll, sums_[j], distance);
      sums[j] = sums_[j];
    }
  }

 private:
  static constexpr unsigned kAll = 0xffffffffU;
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }

  __device__ int fill(const String& string, OccupationTable& side) const {
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

  /// Whether a+_to a_from changes the sign, from the electrons between the orbitals.
  __device__ bool is_odd(int spin, int from, int to) const {
    const OccupationTable& side = workspace_.side[spin];
    return ((side.before[from] + side.before[to] + (from < to ? 1 : 0)) & 1) != 0;
  }

  /// The sign of a second excitation after a first one.
  __device__ bool is_odd_after(int spin, int from, int to, int first_from, int first_to) const {
    const int moved = (first_from < from ? 1 : 0) + (first_to < from ? 1 : 0) +
                      (first_from < to ? 1 : 0) + (first_to < to ? 1 : 0);
    return is_odd(spin, from, to) != ((moved & 1) != 0);
  }

  __device__ void add(Index column, double value) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) sums_[j] = fma(value, x_[column + j * stride_], sums_[j]);
  }

  __device__ void add_single(StringNumber alpha, StringNumber beta, int spin, int p, int q) {
    const Index column = table_.find(alpha, beta);
    if (column < 0) return;
    const double value = single_value(spin, p, q);
    if (value <= threshold_ && value >= -threshold_) return;
    add(column, is_odd(spin, p, q) ? -value : value);
  }

  /// Each lane sums some electrons: one-electron energy and half of the repulsion.
  __device__ void add_diagonal() {
    double value = lane() == 0 ? integrals_.core_energy : 0;
#pragma unroll
    for (int spin = 0; spin < 2; ++spin)
      for (int i = lane(); i < electrons_[spin]; i += 32) {
        const int p = workspace_.side[spin].occupied[i];
        value += integrals_.one[spin][p * integrals_.orbitals + p];
        for (int j = 0; j < electrons_[spin]; ++j) {
          const int q = workspace_.side[spin].occupied[j];
          value =
              fma(0.5, integrals_.two(spin, p, p, q, q) - integrals_.two(spin, p, q, q, p), value);
        }
        if (spin == 1) continue;
        for (int j = 0; j < electrons_[1]; ++j) {
          const int q = workspace_.side[1].occupied[j];
          value += integrals_.across(0, p, p, q, q);
        }
      }
    add(row_, value);
  }

  __device__ double single_value(int spin, int p, int q) const {
    double value = integrals_.one[spin][p * integrals_.orbitals + q];
    for (int i = 0; i < electrons_[spin]; ++i) {
      const int k = workspace_.side[spin].occupied[i];
      value += integrals_.two(spin, p, q, k, k) - integrals_.two(spin, p, k, k, q);
    }
    for (int i = 0; i < electrons_[1 - spin]; ++i) {
      const int k = workspace_.side[1 - spin].occupied[i];
      value += integrals_.across(spin, p, q, k, k);
    }
    return value;
  }

  /// The target of an allowed single excitation; -1 if it is not allowed or absent.
  __device__ StringNumber target_of(int spin, int p, int q) const {
    const int pair = ScreenView::pair(p, q);
    if (!ScreenView::has(screen_.singles[spin], pair) &&
        !ScreenView::has(screen_.with_mixed[spin], pair))
      return -1;
    return table_.strings[spin].find(keys_[spin], table_.string(spin, row_), {p, q});
  }

  /// Adds the beta singles and records their targets.
  __device__ void add_beta_singles() {
    clear(workspace_.movable);
    const OccupationTable& side = workspace_.side[1];
    const StringNumber alpha = table_.pairs[row_].alpha;
    for (int m = lane(); m < electrons_[1] * empty_[1]; m += 32) {
      const int p = side.occupied[m / empty_[1]];
      const int q = side.empty[m % empty_[1]];
      const StringNumber target = target_of(1, p, q);
      if (target < 0) continue;
      const int pair = ScreenView::pair(p, q);
      if (ScreenView::has(screen_.singles[1], pair)) add_single(alpha, target, 1, p, q);
      workspace_.targets[pair] = target;
      put(workspace_.movable, pair);
    }
    __syncwarp();
  }

  __device__ void add_alpha_singles() {
    const OccupationTable& side = workspace_.side[0];
    const StringNumber beta = table_.pairs[row_].beta;
    const int all = electrons_[0] * empty_[0];
    for (int first = 0; first < all; first += 32) {
      const int m = first + lane();
      PendingExcitation single{-1, 0, 0, 0, 0};
      bool is_mixed = false;
      if (m < all) {
        single.from = side.occupied[m / empty_[0]];
        single.to = side.empty[m % empty_[0]];
        single.alpha = target_of(0, single.from, single.to);
        const int pair = ScreenView::pair(single.from, single.to);
        if (single.alpha >= 0) {
          if (ScreenView::has(screen_.singles[0], pair))
            add_single(single.alpha, beta, 0, single.from, single.to);
          is_mixed = ScreenView::has(screen_.with_mixed[0], pair);
        }
      }
      const unsigned found = __ballot_sync(kAll, is_mixed);
      if (is_mixed) workspace_.singles[place_among(found)] = single;
      __syncwarp();
      add_pairs(__popc(found));
    }
    drain([&](const PendingExcitation& c) { add_pair(c); });
  }

  /// Combines the recorded alpha singles with beta singles.
  __device__ void add_pairs(int singles) {
    const int words = screen_.words;
    for_each_word(
        singles * words,
        [&](int t) {
          const PendingExcitation& single = workspace_.singles[t / words];
          const Index pair = ScreenView::pair(single.from, single.to);
          return screen_.mixed[pair * words + t % words] & workspace_.movable[t % words];
        },
        [&](int t, int bit) {
          PendingExcitation both = workspace_.singles[t / words];
          const uchar2 pair = screen_.orbitals[64 * (t % words) + bit];
          const bool higher = is_occupied(1, pair.x);
          both.second_from = higher ? pair.x : pair.y;
          both.second_to = higher ? pair.y : pair.x;
          return both;
        },
        [&](const PendingExcitation& c) { add_pair(c); });
  }

  __device__ void add_pair(const PendingExcitation& c) {
    const StringNumber beta = workspace_.targets[ScreenView::pair(c.second_from, c.second_to)];
    const Index column = table_.find(c.alpha, beta);
    if (column < 0) return;
    const bool odd = is_odd(0, c.from, c.to) != is_odd(1, c.second_from, c.second_to);
    const double value = integrals_.across(0, c.from, c.to, c.second_from, c.second_to);
    add(column, odd ? -value : value);
  }

  __device__ void add_doubles(int spin) {
    if (!screen_.has_doubles[spin]) return;
    const OccupationTable& side = workspace_.side[spin];
    clear(workspace_.reachable);
    for (int j = 1; j < empty_[spin]; ++j)
      for (int i = lane(); i < j; i += 32)
        put(workspace_.reachable, ScreenView::pair(side.empty[i], side.empty[j]));
    __syncwarp();
    const int words = screen_.words;
    const int pairs = electrons_[spin] * (electrons_[spin] - 1) / 2;
    const auto left = [&](int t) {
      const uchar2 places = screen_.orbitals[t / words];
      return uchar2{side.occupied[places.y], side.occupied[places.x]};
    };
    const auto take = [&](const PendingExcitation& c) { add_double(spin, c); };
    for_each_word(
        pairs * words,
        [&](int t) {
          const uchar2 from = left(t);
          const Index pair = ScreenView::pair(from.x, from.y);
          return screen_.doubles[spin][pair * words + t % words] & workspace_.reachable[t % words];
        },
        [&](int t, int bit) {
          const uchar2 from = left(t);
          const uchar2 to = screen_.orbitals[64 * (t % words) + bit];
          return PendingExcitation{-1, from.x, to.y, from.y, to.x};
        },
        take);
    drain(take);
  }

  __device__ void add_double(int spin, const PendingExcitation& c) {
    const int p = c.from;
    const int q = c.to;
    const int r = c.second_from;
    const int s = c.second_to;
    const StringNumber target =
        table_.strings[spin].find(keys_[spin], table_.string(spin, row_), {p, q, r, s});
    if (target < 0) return;
    const DeterminantNumbers here = table_.pairs[row_];
    const Index column =
        spin == 0 ? table_.find(target, here.beta) : table_.find(here.alpha, target);
    if (column < 0) return;
    const bool odd = is_odd(spin, p, q) != is_odd_after(spin, r, s, p, q);
    const double value = integrals_.two(spin, p, q, r, s) - integrals_.two(spin, p, s, r, q);
    add(column, odd ? -value : value);
  }

  __device__ bool is_occupied(int spin, int p) const {
    return (table_.string(spin, row_).words()[p / 64] >> (p % 64) & 1) != 0;
  }

  __device__ void clear(unsigned long long* set) const {
    __syncwarp();
    for (int w = lane(); w < screen_.words; w += 32) set[w] = 0;
    __syncwarp();
  }
  static __device__ void put(unsigned long long* set, int pair) {
    atomicOr(set + pair / 64, 1ULL << (pair % 64));
  }

  /// The rank of this lane among the lanes of a mask.
  static __device__ int place_among(unsigned mask) { return __popc(mask & ((1U << lane()) - 1)); }

  /// Lanes scan words word(t), t < count; for each set bit the warp calls take(make(t, bit)), in
  /// batches of 32.
  template <class Word, class Make, class Take>
  __device__ void for_each_word(int count, Word&& word, Make&& make, Take&& take) {
    for (int first = 0; first < count; first += 32) {
      const int t = first + lane();
      std::uint64_t bits = t < count ? word(t) : 0;
      while (__any_sync(kAll, bits != 0)) {
        const bool is_there = bits != 0;
        const unsigned there = __ballot_sync(kAll, is_there);
        if (is_there)
          workspace_.queue[waiting_ + place_among(there)] =
              make(t, __ffsll(static_cast<long long>(bits)) - 1);
        bits &= bits - 1;
        waiting_ += __popc(there);
        __syncwarp();
        if (waiting_ >= 32) take_all(take);
      }
    }
    __syncwarp();
  }

  template <class Take>
  __device__ void take_all(Take&& take) {
    take(workspace_.queue[lane()]);
    const PendingExcitation next = workspace_.queue[32 + lane()];
    __syncwarp();
    workspace_.queue[lane()] = next;
    waiting_ -= 32;
    __syncwarp();
  }

  /// Processes the rest of the queue.
  template <class Take>
  __device__ void drain(Take&& take) {
    if (lane() < waiting_) take(workspace_.queue[lane()]);
    waiting_ = 0;
    __syncwarp();
  }

  const DeterminantTable& table_;
  const IntegralsView& integrals_;
  const ScreenView& screen_;
  double threshold_;
  Index row_;
  const double* x_;
  Index stride_;
  WarpWorkspace& workspace_;
  std::uint64_t keys_[2];
  int electrons_[2];
  int empty_[2];
  int waiting_ = 0;
  double sums_[kColumns] = {};
};

}  // namespace cisolve::ci::cuda

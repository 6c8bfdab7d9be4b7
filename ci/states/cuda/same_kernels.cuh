#pragma once

#include "ci/states/cuda/overlap_kernels.cuh"
#include "ci/states/same_spin_density.hpp"

// The two-particle density of two electrons of one spin.
namespace cisolve::ci::cuda {

/// Sums over pairs of orbitals as integers, in units of 1 / scale, so that they have the same bits
/// in whichever order they come. Of two places that mirror each other only one is added to.
struct SameSums {
  Index pairs;  // of orbitals
  double scale;
  unsigned long long* sums;

  __device__ void add(const OrderedPair& created, const OrderedPair& taken, double value) const {
    const double units = created.sign * taken.sign * value * scale;
    atomicAdd(sums + created.place * pairs + taken.place,
              static_cast<unsigned long long>(__double2ll_rn(units)));
  }
};

/// A warp for each pair of strings; `occupied` are the orbitals of each string.
__global__ void __launch_bounds__(kThreads)
    add_same(const LinesView lines, const StringPair* pairs, Index count, const double* x,
             const std::uint8_t* occupied, int electrons, const SameSums sums) {
  const Index number = Index{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (number >= count) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const StringPair pair = pairs[number];
  const double value = __shfl_sync(0xffffffffU, overlap_of(lines, pair, x, x), 0);
  if (value == 0) return;
  const std::uint8_t* own = occupied + Index{pair.string} * electrons;
  if (pair.moved == 2) {
    if (lane == 0)
      sums.add(ordered(pair.to.second, pair.to.first), ordered(pair.from.second, pair.from.first),
               value);
  } else if (pair.moved == 1) {
    for (int k = lane; k < electrons; k += 32)
      if (own[k] != pair.from.first)
        sums.add(ordered(pair.to.first, own[k]), ordered(pair.from.first, own[k]), value);
  } else {
    for (int i = lane; i < electrons * electrons; i += 32) {
      const int p = own[i / electrons];
      const int r = own[i % electrons];
      if (p > r) sums.add(ordered(p, r), ordered(p, r), value);
    }
  }
}

}  // namespace cisolve::ci::cuda

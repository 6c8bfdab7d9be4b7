#pragma once

#include "sparse/tiled/tiled.hpp"

// Sums of several vectors, reduced over the lanes of a warp.
namespace cisolve::sparse::cuda {

constexpr unsigned kAllLanes = 0xffffffffU;

/// Sums for several vectors. To avoid bank conflicts, lanes access the pairs of vectors in rotated
/// order: pair p holds the vectors of pair p ^ rotation.
template <int Width>
struct Sums {
  static constexpr int kPairs = Width / 2;
  double at[Width] = {};

  __device__ static int rotation(int lane) { return Width < 4 ? 0 : lane % kPairs; }

  __device__ void clear() {
#pragma unroll
    for (double& value : at) value = 0;
  }

  __device__ void read(const double* source, int rotation) {
    if constexpr (Width == 1) {
      at[0] = *source;
    } else {
      const auto* pairs = reinterpret_cast<const double2*>(source);
#pragma unroll
      for (int p = 0; p < kPairs; ++p) {
        const double2 both = pairs[p ^ rotation];
        at[2 * p] = both.x;
        at[2 * p + 1] = both.y;
      }
    }
  }

  __device__ void write(double* target, int rotation) const {
    if constexpr (Width == 1) {
      *target = at[0];
    } else {
      auto* pairs = reinterpret_cast<double2*>(target);
#pragma unroll
      for (int p = 0; p < kPairs; ++p) pairs[p ^ rotation] = {at[2 * p], at[2 * p + 1]};
    }
  }

  /// this = this + factor * other
  __device__ void add(double factor, const Sums& other) {
#pragma unroll
    for (int j = 0; j < Width; ++j) at[j] += factor * other.at[j];
  }

  __device__ void add_to(double* target) const {
    Sums sum;
    sum.read(target, 0);
    sum.add(1, *this);
    sum.write(target, 0);
  }
};

/// Segmented sum over neighbouring lanes with equal rows; returns true in the first lane of each
/// run, which then holds the run's sum.
template <int Width>
__device__ bool gather_rows(int row, Sums<Width>& sums) {
  const int lane = static_cast<int>(threadIdx.x) % kTileLanes;
#pragma unroll
  for (int distance = 1; distance < kTileLanes; distance *= 2) {
    const int other = __shfl_down_sync(kAllLanes, row, distance);
    const bool same = lane + distance < kTileLanes && other == row;
    if (!__any_sync(kAllLanes, same)) break;  // equal rows are neighbours
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const double value = __shfl_down_sync(kAllLanes, sums.at[j], distance);
      if (same) sums.at[j] += value;
    }
  }
  const int before = __shfl_up_sync(kAllLanes, row, 1);
  return lane == 0 || before != row;
}

}  // namespace cisolve::sparse::cuda

#pragma once

#include <cuda_runtime.h>

namespace cisolve::ci::cuda {

/// The Group of row_look_up.hpp with the 32 threads of a warp; its counterpart is the single host
/// thread.
struct Warp {
  static constexpr int size = 32;
  static constexpr unsigned all = 0xffffffffU;
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % size; }
  static __device__ unsigned ballot(bool value) { return __ballot_sync(all, value); }
  static __device__ int count(unsigned lanes) { return __popc(lanes); }
  static __device__ int before(unsigned lanes) { return __popc(lanes & ((1U << lane()) - 1)); }
  template <class T>
  static __device__ T broadcast(const T& value, int from) {
    return __shfl_sync(all, value, from);
  }
  static __device__ int sum_through(int value) {
    for (int distance = 1; distance < size; distance *= 2) {
      const int other = __shfl_up_sync(all, value, distance);
      if (lane() >= distance) value += other;
    }
    return value;
  }
  /// The first lane whose inclusive prefix sum exceeds k, the last lane if none does; `prefix_sum`
  /// is this lane's.
  static __device__ int owner(int prefix_sum, int k) {
    int found = 0;
    for (int half = size / 2; half > 0; half /= 2)
      if (__shfl_sync(all, prefix_sum, found + half - 1) <= k) found += half;
    return found;
  }
};

}  // namespace cisolve::ci::cuda

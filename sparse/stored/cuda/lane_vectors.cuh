#pragma once

#include <cuda_runtime.h>

// One vector's value of an element, or two vectors' loaded as a pair; the segment kernels use
// either.
namespace cisolve::sparse::cuda {

/// Products of an element that a thread holds: for one vector or for two.
template <int Width>
struct LaneVectors {
  using Value = double2;
  static constexpr int kCount = Width / 2;  // lanes per element
};
template <>
struct LaneVectors<1> {
  using Value = double;
  static constexpr int kCount = 1;
};

__device__ inline double times(double value, double x) { return value * x; }
__device__ inline double2 times(double value, double2 x) { return {value * x.x, value * x.y}; }
__device__ inline void add_to(double& sum, double value) { sum += value; }
__device__ inline void add_to(double2& sum, double2 value) {
  sum.x += value.x;
  sum.y += value.y;
}
__device__ inline double shuffle_down(double value, int distance, int width) {
  return __shfl_down_sync(0xffffffffU, value, distance, width);
}
__device__ inline double2 shuffle_down(double2 value, int distance, int width) {
  return {shuffle_down(value.x, distance, width), shuffle_down(value.y, distance, width)};
}
__device__ inline double shuffle(double value, int lane) {
  return __shfl_sync(0xffffffffU, value, lane);
}
__device__ inline double2 shuffle(double2 value, int lane) {
  return {shuffle(value.x, lane), shuffle(value.y, lane)};
}
__device__ inline double component(double value, int /*j*/) { return value; }
__device__ inline double component(double2 value, int j) { return j == 0 ? value.x : value.y; }

}  // namespace cisolve::sparse::cuda

#pragma once

#include <cstdint>

// Double-precision tensor core operations of a warp, and asynchronous copies.
namespace cisolve::base::cuda {

/// c += a b for a of 16 x 8, b of 8 x 8. With row r = lane / 4 and column q = lane % 4 of a lane,
/// a = {(r, q), (r + 8, q), (r, q + 4), (r + 8, q + 4)}, b = {(q, r), (q + 4, r)} and
/// c = {(r, 2q), (r, 2q + 1), (r + 8, 2q), (r + 8, 2q + 1)}.
__device__ inline void multiply_add(double (&c)[4], double a0, double a1, double a2, double a3,
                                    double b0, double b1) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a0), "d"(a1), "d"(a2), "d"(a3), "d"(b0), "d"(b1));
#else
  const auto eighth = [](double& low, double& high, double a, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(low), "+d"(high)
        : "d"(a), "d"(b));
  };
  eighth(c[0], c[1], a0, b0);
  eighth(c[2], c[3], a1, b0);
  eighth(c[0], c[1], a2, b1);
  eighth(c[2], c[3], a3, b1);
#endif
}

/// Starts an asynchronous copy of a number from global to shared memory, or of 0.
__device__ inline void copy_later(double* to, const double* from, bool is_there) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(from),
               "r"(is_there ? 8 : 0));
}

/// Starts an asynchronous copy of 16 bytes; both addresses aligned to 16.
__device__ inline void copy_sixteen_later(void* to, const void* from) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from));
}

__device__ inline void end_group_of_copies() { asm volatile("cp.async.commit_group;"); }

/// Waits until at most kLast groups of copies are pending.
template <int kLast>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLast));
}

}  // namespace cisolve::base::cuda

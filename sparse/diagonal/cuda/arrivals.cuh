#pragma once

#include <cstdint>

// What threads of a block wait for in shared memory, and copies into it by the copy engine, which
// an H100 and later ones have: the toolkit's own headers of these differ from release to release.
namespace cisolve::sparse::cuda {

__device__ __forceinline__ unsigned shared_place(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

/// So many arrivals, and all bytes that are expected besides, complete a turn and begin the next.
class Arrivals {
 public:
  __device__ __forceinline__ void begin(int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place()), "r"(count) : "memory");
  }
  __device__ __forceinline__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place()) : "memory");
  }
  __device__ __forceinline__ void expect(unsigned bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(place()),
                 "r"(bytes)
                 : "memory");
  }
  /// Until the turn of that parity, the one under way or the one before, is complete.
  __device__ __forceinline__ void wait(unsigned parity) const {
    unsigned is_complete = 0;
    while (is_complete == 0)
      asm volatile(
          "{\n"
          ".reg .pred complete;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
          "selp.u32 %0, 1, 0, complete;\n"
          "}"
          : "=r"(is_complete)
          : "r"(place()), "r"(parity)
          : "memory");
  }
  /// Brings bytes, whose number and places are multiples of 16, that were expected.
  __device__ __forceinline__ void bring(void* to, const void* from, unsigned bytes) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_place(to)),
        "l"(from), "r"(bytes), "r"(place())
        : "memory");
  }

 private:
  __device__ __forceinline__ unsigned place() const { return shared_place(&state_); }

  std::uint64_t state_;
};

/// What was begun is seen by the copy engine.
__device__ __forceinline__ void show_beginnings() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// What threads did with shared memory comes before what the copy engine does with it from now on.
__device__ __forceinline__ void hand_to_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace cisolve::sparse::cuda

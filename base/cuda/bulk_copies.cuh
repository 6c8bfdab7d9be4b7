#pragma once

#include <cstdint>
#include <cuda/ptx>

#include "base/block.hpp"

namespace cisolve::base::cuda {

/// Whether columns are aligned to 16 bytes.
inline bool are_pairs(ConstBlock x) {
  return reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 &&
         (x.columns == 1 || x.stride % 2 == 0);
}

/// Transaction barrier (mbarrier) in shared memory for bulk copies (TMA), compute capability 9.0
/// and above; addresses and sizes must be multiples of 16 bytes. Works in rounds of less than 1
/// MiB: a round may start after all threads have waited for the previous one and synchronised.
class TransferBarrier {
 public:
  static constexpr bool kExists =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
      true;
#else
      false;
#endif

  /// Initialises the barrier; call by one thread before a block synchronisation. `arrivals` and all
  /// expected bytes complete a round.
  __device__ void begin(int arrivals = 1) {
#if __CUDA_ARCH__ >= 900
    ::cuda::ptx::mbarrier_init(&state_, static_cast<std::uint32_t>(arrivals));
    ::cuda::ptx::fence_proxy_async(::cuda::ptx::space_shared);
#endif
  }

  /// Arrives and adds `bytes` to the round's expected copies, by any thread; releases earlier
  /// writes of its warp. Call by one thread per round.
  __device__ void expect(Index bytes) {
#if __CUDA_ARCH__ >= 900
    ::cuda::ptx::mbarrier_arrive_expect_tx(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta,
                                           ::cuda::ptx::space_shared, &state_,
                                           static_cast<std::uint32_t>(bytes));
#endif
  }

  /// Adds expected bytes without arriving; the calling thread arrives later in the round.
  __device__ void expect_more(Index bytes) {
#if __CUDA_ARCH__ >= 900
    ::cuda::ptx::mbarrier_expect_tx(::cuda::ptx::sem_relaxed, ::cuda::ptx::scope_cta,
                                    ::cuda::ptx::space_shared, &state_,
                                    static_cast<std::uint32_t>(bytes));
#endif
  }

  /// Arrives, releasing earlier writes of its warp.
  __device__ void arrive() {
#if __CUDA_ARCH__ >= 900
    ::cuda::ptx::mbarrier_arrive(&state_);
#endif
  }

  __device__ void copy(void* to, const void* from, Index bytes) {
#if __CUDA_ARCH__ >= 900
    ::cuda::ptx::cp_async_bulk(::cuda::ptx::space_cluster, ::cuda::ptx::space_global, to, from,
                               static_cast<std::uint32_t>(bytes), &state_);
#endif
  }

  /// Waits for the end of `round`, counted from 0.
  __device__ void wait(int round) {
#if __CUDA_ARCH__ >= 900
    while (!::cuda::ptx::mbarrier_try_wait_parity(&state_, static_cast<std::uint32_t>(round % 2))) {
    }
#endif
  }

 private:
  std::uint64_t state_;
};

/// Orders earlier accesses to shared memory before subsequent bulk copies into it.
__device__ inline void fence_before_copies() {
#if __CUDA_ARCH__ >= 900
  ::cuda::ptx::fence_proxy_async(::cuda::ptx::space_shared);
#endif
}

}  // namespace cisolve::base::cuda

#pragma once

#include <cstdint>
#include <cuda/ptx>

#include "base/block.hpp"

namespace cisolve::base::cuda {

/// Whether every second number of each column begins where 16 bytes do.
inline bool are_pairs(ConstBlock x) {
  return reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 &&
         (x.columns == 1 || x.stride % 2 == 0);
}

/// What stands in shared memory while the copy engine of a multiprocessor brings runs of bytes
/// there, which single threads set off and all threads wait for: from compute capability 9.0 on,
/// where addresses and lengths are multiples of 16 bytes. Of rounds of less than a mebibyte: before
/// anything of one is set off, all threads have waited for the one before and have met.
class Arrival {
 public:
  static constexpr bool kExists =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
      true;
#else
      false;
#endif

  /// By one thread, before all threads meet: so many arrivals complete a round, with all bytes that
  /// are expected in it.
  __device__ void begin(int arrivals = 1) {
#if __CUDA_ARCH__ >= 900
    ::cuda::ptx::mbarrier_init(&state_, static_cast<std::uint32_t>(arrivals));
    ::cuda::ptx::fence_proxy_async(::cuda::ptx::space_shared);
#endif
  }

  /// By one thread in each round: so many bytes are copied in it, by whatever thread, and what its
  /// warp has written before belongs to it too.
  __device__ void expect(Index bytes) {
#if __CUDA_ARCH__ >= 900
    ::cuda::ptx::mbarrier_arrive_expect_tx(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta,
                                           ::cuda::ptx::space_shared, &state_,
                                           static_cast<std::uint32_t>(bytes));
#endif
  }

  /// By whoever arrives later in the round.
  __device__ void expect_more(Index bytes) {
#if __CUDA_ARCH__ >= 900
    ::cuda::ptx::mbarrier_expect_tx(::cuda::ptx::sem_relaxed, ::cuda::ptx::scope_cta,
                                    ::cuda::ptx::space_shared, &state_,
                                    static_cast<std::uint32_t>(bytes));
#endif
  }

  /// What its warp has written before belongs to the round.
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

  /// Until all of a round is there. `round` counts them from 0.
  __device__ void wait(int round) {
#if __CUDA_ARCH__ >= 900
    while (!::cuda::ptx::mbarrier_try_wait_parity(&state_, static_cast<std::uint32_t>(round % 2))) {
    }
#endif
  }

 private:
  std::uint64_t state_;
};

/// What threads did with shared memory comes before what is copied there from now on.
__device__ inline void hand_to_copies() {
#if __CUDA_ARCH__ >= 900
  ::cuda::ptx::fence_proxy_async(::cuda::ptx::space_shared);
#endif
}

}  // namespace cisolve::base::cuda

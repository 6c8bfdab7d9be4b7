#pragma once

#include <cuda/ptx>

#include "sparse/tiled/tiled.hpp"

namespace cisolve::sparse::cuda {

namespace ptx = ::cuda::ptx;

/// Copies the parts of x that a cell needs into one of two alternating buffers in shared memory.
/// From compute capability 9.0 on, each run of columns is one bulk copy; before, or if x is not
/// aligned to 16 bytes, threads copy single values by cp.async.
template <int Width>
class TileCopies {
 public:
  static constexpr Index kArrivalBytes = 2 * sizeof(std::uint64_t);

  __device__ TileCopies(const TiledView& a, const double* x, double* buffers,
                        std::uint64_t* arrivals)
      : a_(a), x_(x), buffers_(buffers), arrivals_(arrivals) {
#if __CUDA_ARCH__ >= 900
    whole_ = reinterpret_cast<std::uintptr_t>(x) % sizeof(double2) == 0;
    if (!whole_ || threadIdx.x != 0) return;
    ptx::mbarrier_init(&arrivals[0], 1);
    ptx::mbarrier_init(&arrivals[1], 1);
    ptx::fence_proxy_async(ptx::space_shared);
#endif
  }

  /// Starts the copies for a cell; all threads must have finished with the cell before the last.
  /// After the next __syncthreads() each thread may call next().
  __device__ void start_copies(Index cell) {
    const Index first = a_.cell_runs[cell];
    const auto count = static_cast<int>(a_.cell_runs[cell + 1] - first);
    if (whole_)
      copy_runs(a_.runs + first, count);
    else
      copy_values(a_.runs + first, count);
    ++started_;
  }

  /// Waits for this thread's own copies; call before __syncthreads().
  __device__ void finish() const {
    if (!whole_) asm volatile("cp.async.wait_all;" ::: "memory");
  }

  /// Returns the next tile after waiting for it.
  __device__ const double* next() {
    const int buffer = arrived_ % 2;
#if __CUDA_ARCH__ >= 900
    const auto phase = static_cast<std::uint32_t>(arrived_ / 2 % 2);
    while (whole_ && !ptx::mbarrier_try_wait_parity(&arrivals_[buffer], phase)) {
    }
#endif
    ++arrived_;
    return at(buffer);
  }

 private:
  __device__ double* at(int buffer) const {
    return buffers_ + buffer * static_cast<int>(a_.tile_columns) * Width;
  }

  /// One thread per run. An odd value at the end of x is copied separately.
  __device__ void copy_runs(const TileRun* runs, int count) const {
#if __CUDA_ARCH__ >= 900
    const int buffer = started_ % 2;
    for (int k = static_cast<int>(threadIdx.x); k < count; k += kTileThreads) {
      const TileRun run = runs[k];
      const double* source = x_ + Index{run.first} * Width;
      double* target = at(buffer) + run.place * Width;
      const int values = run.count * Width;
      if (values % 2 == 1) target[values - 1] = source[values - 1];
      if (k == count - 1)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &arrivals_[buffer], whole_bytes(run.place * Width + values));
      if (values > 1)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, target, source,
                           whole_bytes(values), &arrivals_[buffer]);
    }
#endif
  }

  static __device__ std::uint32_t whole_bytes(int values) {
    return static_cast<std::uint32_t>(values / 2 * sizeof(double2));
  }

  __device__ void copy_values(const TileRun* runs, int count) const {
    for (int k = 0; k < count; ++k) {
      const TileRun run = runs[k];
      const double* source = x_ + Index{run.first} * Width;
      double* target = at(started_ % 2) + run.place * Width;
      for (int i = static_cast<int>(threadIdx.x); i < run.count * Width; i += kTileThreads)
        copy_value(target + i, source + i);
    }
  }

  static __device__ void copy_value(double* target, const double* source) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(target));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address), "l"(source) : "memory");
  }

  const TiledView& a_;
  const double* x_;
  double* buffers_;
  std::uint64_t* arrivals_;  // arrival barriers of the two buffers
  bool whole_ = false;
  int started_ = 0;
  int arrived_ = 0;
};

}  // namespace cisolve::sparse::cuda

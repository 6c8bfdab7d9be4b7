#include "bench/products/timed_backend.hpp"

#include <algorithm>

#include "base/array.hpp"
#include "base/cuda/context.hpp"

namespace cisolve::bench {
namespace {

using base::cuda::check;

constexpr int kThreads = 256;
constexpr int kBlocks = 1056;

// Reads, and writes only in an impossible case: the caches are left clean, so the next product does
// not pay for write-backs.
__global__ void __launch_bounds__(kThreads)
    read_all(const double2* source, Index size, double* sink) {
  const Index step = Index{gridDim.x} * kThreads;
  double sum = 0;
#pragma unroll 4
  for (Index i = Index{blockIdx.x} * kThreads + threadIdx.x; i < size; i += step) {
    const double2 both = source[i];
    sum += both.x + both.y;
  }
  if (sum < 0) *sink = sum;
}

class TimedDevice final : public TimedBackend {
 public:
  TimedDevice(const base::Backend& backend, Index rate_bytes)
      : backend_(backend),
        bytes_(std::min(rate_bytes, backend.memory().left() / 8) / 256 * 256),
        source_(backend, bytes_, "the source of a measured copy"),
        target_(backend, bytes_, "the target of a measured copy") {
    check(cudaMemsetAsync(source_.data(), 0, bytes_, stream()), "cudaMemsetAsync");
    check(cudaMemsetAsync(target_.data(), 0, bytes_, stream()), "cudaMemsetAsync");
    int device = 0;
    int cache = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute");
    cache_bytes_ = cache;
  }

  const base::Backend& backend() const override { return backend_; }

  // A product is queued behind the read of settle(), so that its launch is not timed.
  double seconds(const std::function<void()>& work) const override {
    start_.record(backend_.device().stream_object());
    work();
    stop_.record(backend_.device().stream_object());
    return 1e-3 * static_cast<double>(stop_.milliseconds_since(start_));
  }

  void settle(Index matrix_bytes, const std::function<void()>& /*product*/) const override {
    const bool may_stay = matrix_bytes < 4 * cache_bytes_;
    read(std::min(bytes_, may_stay ? std::max(4 * cache_bytes_, Index{256} << 20)
                                   : Index{128} << 20));  // the latter only hides the launch
  }

  double shortest_run() const override { return 0; }

  Rates rates() const override {
    const auto bytes = static_cast<double>(bytes_);
    read(bytes_);
    const double copied = seconds([&] {
      check(cudaMemcpyAsync(target_.data(), source_.data(), bytes_, cudaMemcpyDeviceToDevice,
                            stream()),
            "cudaMemcpyAsync");
    });
    read(Index{16} << 20);
    const double was_read = seconds([&] { read(bytes_); });
    return {2 * bytes / copied, bytes / was_read};
  }

 private:
  cudaStream_t stream() const { return backend_.device().stream(); }

  void read(Index bytes) const {
    const Index size = std::min(bytes, bytes_) / Index{sizeof(double2)};
    read_all<<<kBlocks, kThreads, 0, stream()>>>(reinterpret_cast<const double2*>(source_.data()),
                                                 size, reinterpret_cast<double*>(target_.data()));
    base::cuda::check_launch("read_all");
  }

  base::Backend backend_;
  Index bytes_;
  mutable base::Array<char> source_;
  mutable base::Array<char> target_;
  Index cache_bytes_ = 0;
  mutable base::cuda::Event start_;
  mutable base::cuda::Event stop_;
};

}  // namespace

std::unique_ptr<TimedBackend> timed_device(const base::Backend& backend, Index rate_bytes) {
  return std::make_unique<TimedDevice>(backend, rate_bytes);
}

}  // namespace cisolve::bench

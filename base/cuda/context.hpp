#pragma once

#include <cuda_runtime.h>

#include <mutex>
#include <optional>

#include "base/cuda/blas.hpp"
#include "base/cuda/check.hpp"
#include "base/device.hpp"

namespace cisolve::base::cuda {

/// RAII CUDA stream. Thread blocks of a high-priority stream are scheduled before those of others.
class Stream {
 public:
  enum class Urgency { high, low };

  explicit Stream(Urgency urgency = Urgency::high) {
    int least = 0;
    int greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                       urgency == Urgency::high ? greatest : least),
          "cudaStreamCreateWithPriority");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// RAII CUDA event with timing, on the current device.
class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  void record(const Stream& stream) {
    check(cudaEventRecord(event_, stream.get()), "cudaEventRecord");
  }
  /// Waits for the event; returns at once if it was never recorded.
  void wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  /// Waits for this event; returns the milliseconds since `start`.
  float milliseconds_since(const Event& start) const {
    wait();
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Pinned host memory, allocated when first needed and kept, since allocating takes longer than
/// many a copy. Lock mutex() for exclusive use.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer();

  /// Returns at least `bytes`; null if no pinned memory is left.
  char* of(std::size_t bytes);
  std::mutex& mutex() { return mutex_; }

 private:
  std::mutex mutex_;
  void* memory_ = nullptr;
};

/// A device with its stream and handles. CUDA launches and allocates on the calling thread's
/// current device: stream(), blas() and the functions of base/device.hpp make this one current.
class Context {
 public:
  explicit Context(int device);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { cudaSetDevice(info_.number); }  // the stream and the handle end on their device

  const DeviceInfo& info() const { return info_; }
  void make_current() const { check(cudaSetDevice(info_.number), "cudaSetDevice"); }
  cudaStream_t stream() const {
    make_current();
    return stream_.get();
  }
  const Stream& stream_object() const { return stream_; }
  const BlasHandle& blas();
  PinnedBuffer& pinned_buffer() const { return pinned_buffer_; }
  /// Memory of PinnedResults, of kResultsBytes.
  PinnedBuffer& results_buffer() const { return results_buffer_; }
  static constexpr Index kResultsBytes = Index{1} << 16;

 private:
  DeviceInfo info_;  // read first: it makes the device current
  Stream stream_;
  std::once_flag blas_is_made_;
  std::optional<BlasHandle> blas_;  // made when first needed
  mutable PinnedBuffer pinned_buffer_;
  mutable PinnedBuffer results_buffer_;
};

}  // namespace cisolve::base::cuda

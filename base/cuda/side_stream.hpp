#pragma once

#include "base/cuda/context.hpp"

namespace cisolve::base::cuda {

/// Low-priority stream in addition to a device's own. The destructor waits for its work.
class SideStream {
 public:
  explicit SideStream(const Context& context) : context_(context) {  // the context must outlive it
    context_.make_current();
    stream_.emplace(Stream::Urgency::low);
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
  ~SideStream() {
    cudaSetDevice(context_.info().number);  // errors of all three surface elsewhere
    cudaStreamSynchronize(stream_->get());
    cudaEventDestroy(event_);
  }

  cudaStream_t get() const { return stream_->get(); }
  /// Later work here waits for all work queued on the device's stream so far.
  void wait_for_stream() const { chain(context_.stream(), get()); }
  /// Later work on the device's stream waits for all work queued here so far.
  void make_stream_wait() const { chain(get(), context_.stream()); }

 private:
  void chain(cudaStream_t first, cudaStream_t second) const {
    check(cudaEventRecord(event_, first), "cudaEventRecord");
    check(cudaStreamWaitEvent(second, event_), "cudaStreamWaitEvent");
  }

  const Context& context_;
  std::optional<Stream> stream_;  // made on the device
  cudaEvent_t event_ = nullptr;
};

}  // namespace cisolve::base::cuda

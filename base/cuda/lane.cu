#include "base/cuda/context.hpp"

namespace cisolve::base::cuda {
namespace {

/// Has what is queued on the second stream next come after all that is queued on the first by now.
void chain(cudaEvent_t event, cudaStream_t first, cudaStream_t second) {
  check(cudaEventRecord(event, first), "cudaEventRecord");
  check(cudaStreamWaitEvent(second, event), "cudaStreamWaitEvent");
}

}  // namespace

struct Lane::Ends {
  explicit Ends(const Context& of) : context(of) {
    context.make_current();
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  ~Ends() {
    cudaSetDevice(context.info().number);  // errors of all three surface elsewhere
    cudaStreamSynchronize(stream.get());
    cudaEventDestroy(event);
  }

  const Context& context;
  cudaEvent_t event = nullptr;
  Stream stream;
};

Lane::Lane(const Context& context) : ends_(std::make_unique<Ends>(context)) {}
Lane::Lane(Lane&& other) noexcept = default;
Lane& Lane::operator=(Lane&& other) noexcept = default;
Lane::~Lane() = default;

void Lane::follow() { chain(ends_->event, ends_->context.stream(), ends_->stream.get()); }

void Lane::lead() { chain(ends_->event, ends_->stream.get(), ends_->context.stream()); }

void Lane::copy_to_device(void* target, const void* source, Index bytes) {
  ends_->context.make_current();
  check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                        ends_->stream.get()),
        "cudaMemcpyAsync");
}

}  // namespace cisolve::base::cuda

#include "base/cuda/side_stream.hpp"

namespace cisolve::base::cuda {

struct CopyStream::Ends {
  explicit Ends(const Context& of) : context(of), stream(of) {}

  const Context& context;
  SideStream stream;
};

CopyStream::CopyStream(const Context& context) : ends_(std::make_unique<Ends>(context)) {}
CopyStream::CopyStream(CopyStream&& other) noexcept = default;
CopyStream& CopyStream::operator=(CopyStream&& other) noexcept = default;
CopyStream::~CopyStream() = default;

void CopyStream::wait_for_stream() { ends_->stream.wait_for_stream(); }

void CopyStream::make_stream_wait() { ends_->stream.make_stream_wait(); }

void CopyStream::copy_to_device(void* target, const void* source, Index bytes) {
  ends_->context.make_current();
  check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                        ends_->stream.get()),
        "cudaMemcpyAsync");
}

}  // namespace cisolve::base::cuda

#include "base/cuda/side_stream.hpp"

namespace cisolve::base::cuda {

struct Lane::Ends {
  explicit Ends(const Context& of) : context(of), stream(of) {}

  const Context& context;
  SideStream stream;
};

Lane::Lane(const Context& context) : ends_(std::make_unique<Ends>(context)) {}
Lane::Lane(Lane&& other) noexcept = default;
Lane& Lane::operator=(Lane&& other) noexcept = default;
Lane::~Lane() = default;

void Lane::follow() { ends_->stream.follow(); }

void Lane::lead() { ends_->stream.lead(); }

void Lane::copy_to_device(void* target, const void* source, Index bytes) {
  ends_->context.make_current();
  check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                        ends_->stream.get()),
        "cudaMemcpyAsync");
}

}  // namespace cisolve::base::cuda

#include "dist/cuda/nccl_channel.hpp"

// Stub for builds without NCCL.
namespace cisolve::dist {

std::unique_ptr<base::DeviceChannel> nccl_channel(const base::Communicator& /*ranks*/,
                                                  const base::Backend& /*backend*/,
                                                  const std::function<void()>& /*listen*/) {
  return nullptr;
}

}  // namespace cisolve::dist

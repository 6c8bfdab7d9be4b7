#include "dist/device_channel.hpp"

// Stub for builds without CUDA.
namespace cisolve::dist {

std::unique_ptr<base::DeviceChannel> make_device_channel(const base::Communicator& /*ranks*/,
                                                         const base::Backend& /*backend*/,
                                                         const std::function<void()>& /*listen*/) {
  return nullptr;
}

}  // namespace cisolve::dist

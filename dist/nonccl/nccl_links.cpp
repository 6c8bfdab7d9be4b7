#include "dist/cuda/nccl_links.hpp"

// Stub for builds without NCCL.
namespace cisolve::dist {

std::unique_ptr<base::DeviceLinks> nccl_links(const base::Communicator& /*ranks*/,
                                              const base::Backend& /*backend*/,
                                              const std::function<void()>& /*listen*/) {
  return nullptr;
}

}  // namespace cisolve::dist

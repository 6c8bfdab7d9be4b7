#include "dist/links.hpp"

// Stub for builds without CUDA.
namespace cisolve::dist {

std::unique_ptr<base::DeviceLinks> links_between(const base::Communicator& /*ranks*/,
                                                 const base::Backend& /*backend*/,
                                                 const std::function<void()>& /*listen*/) {
  return nullptr;
}

}  // namespace cisolve::dist

#include "base/libraries.hpp"

#include "base/cuda/context.hpp"

namespace cisolve::base::cuda {

std::uintptr_t stream_address(const Context& context) {
  return reinterpret_cast<std::uintptr_t>(
      context.stream());  // NOLINT: a handle is a number to other libraries
}

}  // namespace cisolve::base::cuda

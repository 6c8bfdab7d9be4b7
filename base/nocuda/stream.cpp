#include "base/libraries.hpp"

#include "base/error.hpp"

namespace cisolve::base::cuda {

std::uintptr_t stream_address(const Context& /*context*/) { throw BackendNotBuilt("cuda"); }

}  // namespace cisolve::base::cuda

#pragma once

#include <cstdint>

#include "base/device.hpp"

namespace cisolve::base::cuda {

/// Loads the device libraries that kernels call, which is slow the first time. May run concurrently
/// with other work.
void load_libraries(Context& context);

/// Address of a device's stream, by which other libraries of this process synchronise their work
/// with it.
std::uintptr_t stream_address(const Context& context);

}  // namespace cisolve::base::cuda

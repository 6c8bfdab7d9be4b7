#pragma once

#include <cstdint>

#include "base/device.hpp"

namespace cisolve::base::cuda {

/// Loads what kernels of a device call from libraries, which takes a while when first needed. May
/// run beside any other work.
void load_libraries(Context& context);

/// The address of the stream on which a device works, for other libraries of this process: those
/// that are told it let what comes next on it wait for what they have queued on their own.
std::uintptr_t stream_address(const Context& context);

}  // namespace cisolve::base::cuda

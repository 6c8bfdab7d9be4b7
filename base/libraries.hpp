#pragma once

#include "base/device.hpp"

namespace cisolve::base::cuda {

/// Loads what kernels of a device call from libraries, which takes a while when first needed. May
/// run beside any other work.
void load_libraries(Context& context);

}  // namespace cisolve::base::cuda

#pragma once

#include <cuda_runtime.h>

#include <source_location>

namespace cisolve::base::cuda {

/// Throws Fault::resources with the call's place unless `status` is success: a DeviceMemoryError
/// where memory would not do. Says so where the device is lost to this process. Wrap every call.
void check(cudaError_t status, const char* call,
           std::source_location place = std::source_location::current());

/// After a kernel launch: reports a launch that the driver refused.
void check_launch(const char* kernel, std::source_location place = std::source_location::current());

}  // namespace cisolve::base::cuda

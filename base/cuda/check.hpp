#pragma once

#include <cuda_runtime.h>

#include <source_location>

namespace cisolve::base::cuda {

/// Throws ErrorKind::resources with the call's location unless `status` is success: a
/// DeviceMemoryError if memory is short; the message says if the device is lost to this process.
/// Wrap every call.
void check(cudaError_t status, const char* call,
           std::source_location place = std::source_location::current());

/// Call after a kernel launch: reports launch errors.
void check_launch(const char* kernel, std::source_location place = std::source_location::current());

}  // namespace cisolve::base::cuda

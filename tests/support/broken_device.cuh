#pragma once

#include <cuda_runtime.h>

namespace cisolve::test {

__global__ inline void write_nowhere(double* nowhere) { *nowhere = 1; }

/// Queues a kernel that writes to an invalid address: a sticky error of the device for this
/// process.
inline void break_device(cudaStream_t stream) {
  write_nowhere<<<1, 1, 0, stream>>>(reinterpret_cast<double*>(8));
}

}  // namespace cisolve::test

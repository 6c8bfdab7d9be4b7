#pragma once

// Marks functions for host and device. Empty for a host compiler.
#ifdef __CUDACC__
#define CISOLVE_HOST_DEVICE __host__ __device__
#else
#define CISOLVE_HOST_DEVICE
#endif

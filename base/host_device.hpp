#pragma once

// Marks what both the host and a kernel may call. Empty for a host compiler.
#ifdef __CUDACC__
#define CISOLVE_HOST_DEVICE __host__ __device__
#else
#define CISOLVE_HOST_DEVICE
#endif

#pragma once

// Marks what both the host and a kernel may call, and loops of such functions whose turns are to be
// written out, so that a kernel's small arrays are registers. Empty for a host compiler.
#ifdef __CUDACC__
#define CISOLVE_HOST_DEVICE __host__ __device__
#define CISOLVE_UNROLL _Pragma("unroll")
#else
#define CISOLVE_HOST_DEVICE
#define CISOLVE_UNROLL
#endif

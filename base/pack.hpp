#pragma once

// In front of a function where a program is compiled for any processor: it is then compiled for
// newer ones too, and each takes its own. Sanitizers cannot choose so early.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CISOLVE_FOR_NEWER_PROCESSORS \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CISOLVE_FOR_NEWER_PROCESSORS
#endif

namespace cisolve::base {

inline constexpr int kPackLanes = 8;

/// Numbers that one instruction of the host works on together, or a few where its registers are
/// shorter.
struct Pack {
  using Lanes = double __attribute__((vector_size(kPackLanes * sizeof(double))));
  Lanes of = {};
};

}  // namespace cisolve::base

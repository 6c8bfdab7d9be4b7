#pragma once

namespace cisolve::base {

inline constexpr int kPackLanes = 8;

/// Numbers that one instruction of the host works on together, or a few where its registers are
/// shorter.
struct Pack {
  using Lanes = double __attribute__((vector_size(kPackLanes * sizeof(double))));
  Lanes of = {};
};

}  // namespace cisolve::base

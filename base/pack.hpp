#pragma once

#include <array>

#include "base/types.hpp"

// Prefix of a function that is compiled for newer processors too, if the program is built for any:
// the loader selects the version. Not with sanitizers, which start too late.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CISOLVE_FOR_NEWER_PROCESSORS \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CISOLVE_FOR_NEWER_PROCESSORS
#endif

namespace cisolve::base {

inline constexpr int kPackLanes = 8;

/// A vector of 8 doubles, one or a few registers. Aligned for the longest registers: compiled for
/// any processor, a plain vector type would only have the alignment of the shortest.
struct alignas(kPackLanes * sizeof(double)) Pack {
  using Lanes = double __attribute__((vector_size(kPackLanes * sizeof(double))));
  /// Unaligned view of 8 numbers of an array. Returned by reference: passing by value differs
  /// between processors.
  using Part =
      double __attribute__((vector_size(kPackLanes * sizeof(double)), aligned(8), may_alias));
  static const Part& at(const double* from) { return *reinterpret_cast<const Part*>(from); }

  Lanes of = {};
};

/// Calls take(j, pack) for `count` <= kMost columns j of eight rows from `begin` on; a null row is
/// zero.
template <Index kMost, class Take>
void for_each_pack(const double* const* rows, Index begin, Index count, Take&& take) {
  static constexpr std::array<double, kMost> kZeros{};
  std::array<const double*, kPackLanes> from;
  for (int lane = 0; lane < kPackLanes; ++lane)
    from[lane] = rows[lane] != nullptr ? rows[lane] + begin : kZeros.data();
  for (Index j = 0; j < count; ++j)
    take(j, Pack{Pack::Lanes{from[0][j], from[1][j], from[2][j], from[3][j], from[4][j], from[5][j],
                             from[6][j], from[7][j]}});
}

}  // namespace cisolve::base

#pragma once

#include <array>

#include "base/types.hpp"

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
/// shorter. They lie where a processor with the longest registers expects them: compiled for any
/// processor, a vector by itself asks for no more than the shortest ones do.
struct alignas(kPackLanes * sizeof(double)) Pack {
  using Lanes = double __attribute__((vector_size(kPackLanes * sizeof(double))));
  /// Such numbers of an array, wherever it begins. A function returns them by reference: by value
  /// they would pass differently from processor to processor.
  using Part =
      double __attribute__((vector_size(kPackLanes * sizeof(double)), aligned(8), may_alias));
  static const Part& at(const double* from) { return *reinterpret_cast<const Part*>(from); }

  Lanes of = {};
};

/// Calls take(j, pack) for each of `count` numbers of eight rows from `begin` on, at most kMost; a
/// row that is null has zeros.
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

#pragma once

#include "ci/hamiltonian/factorised/opposite_spin_view.hpp"

namespace cisolve::ci::cuda {

/// An alpha string that is worked on, and where in y its rows begin.
struct OwnString {
  Index alpha;
  Index place;
};

inline constexpr int kCopiers = 4;  // warps of a block, where some do nothing but copy meanwhile

/// How a block's shared memory is divided: columns of sources of one chunk or two, rows of g, the
/// sources themselves, moves of two chunks, and sums of the alpha string's rows unless these stand
/// in y itself.
struct OppositeSpinShape {
  static constexpr int kSourceStride = kChunk + 4;  // so that no two lanes of a half warp collide

  int warps;
  int sources;  // of any group, a multiple of eight
  int rows;     // of any table, a multiple of sixteen
  int words;    // of the moves of any chunk
  Index sums;   // 0: in y

  /// Where a multiprocessor has one block only, some warps copy ahead of those that make rows of g.
  static CISOLVE_HOST_DEVICE constexpr bool has_copier_warps(int warps) { return warps > 8; }

  // Of so many doubles.
  CISOLVE_HOST_DEVICE Index columns_size() const { return Index{sources} * kSourceStride; }
  CISOLVE_HOST_DEVICE Index g_size() const { return Index{rows} * kRowStride; }
  CISOLVE_HOST_DEVICE Index before_g() const {
    return columns_size() * (has_copier_warps(warps) ? 2 : 1);
  }
  CISOLVE_HOST_DEVICE Index before_sources() const { return before_g() + g_size(); }
  CISOLVE_HOST_DEVICE Index before_words() const {
    return before_sources() + Index{sources} * Index{sizeof(OppositeSpinView::Source)} / 8;
  }
  CISOLVE_HOST_DEVICE Index before_sums() const { return before_words() + words; }
  Index bytes() const { return (before_sums() + sums) * Index{sizeof(double)}; }
};
static_assert(sizeof(OppositeSpinView::Source) % sizeof(double) == 0);

}  // namespace cisolve::ci::cuda

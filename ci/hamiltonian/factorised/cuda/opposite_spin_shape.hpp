#pragma once

#include "ci/hamiltonian/factorised/opposite_spin_view.hpp"

namespace cisolve::ci::cuda {

/// An alpha string to compute, and its first row in y.
struct OwnString {
  Index alpha;
  Index place;
};

inline constexpr int kCopiers = 4;  // warps of a block that only copy, if has_copier_warps()

/// Layout of a block's shared memory: source columns of one chunk or two, rows of g, sources,
/// scatter entries of two chunks, and the sums of the alpha string's rows unless they are in y.
struct OppositeSpinShape {
  static constexpr int kSourceStride = kChunk + 4;  // no bank conflicts in a half warp

  int warps;
  int sources;  // maximum over groups, a multiple of eight
  int rows;     // maximum over tables, a multiple of sixteen
  int words;    // maximum over ScatterChunks, of 32 bits: two chunks take `words` doubles
  Index sums;   // sums of the longest row and the dummy target; 0: summed in y

  /// If a block has a multiprocessor to itself, some warps copy ahead of those that compute g.
  static CISOLVE_HOST_DEVICE constexpr bool has_copier_warps(int warps) { return warps > 8; }

  // Sizes in doubles.
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

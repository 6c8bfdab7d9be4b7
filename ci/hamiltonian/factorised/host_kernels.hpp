#pragma once

#include "base/pack.hpp"
#include "ci/hamiltonian/factorised/opposite_spin_view.hpp"
#include "ci/hamiltonian/factorised/same_spin_strips.hpp"

// Inner loops of a factorised product on one thread of the host. The order of sums does not depend
// on the number of threads. Buffers are aligned to packs.
namespace cisolve::ci {

// A pack (SIMD vector) holds neighbouring columns of a panel, or one number of each alpha string of
// a batch: strings of a batch share their scatter tables.
using base::Pack;
inline constexpr int kTogether = base::kPackLanes;  // alpha strings of a batch

inline constexpr int kPanelPacks = 4;
inline constexpr int kPanel =
    kPanelPacks * kTogether;  // columns that a same-spin matrix multiplies at once

inline constexpr int kTileColumns = 4;  // columns of a register tile
static_assert(kChunk % kTileColumns == 0);

/// Sources first to count - 1, of `total`.
struct SourceRange {
  Index first;
  Index total;
};

/// g = w b for `rows` rows and `columns` columns, which are rounded up to kTileColumns. w: rows x
/// sources; b: tiles of sources x kTileColumns; g: rows x kRowStride.
void multiply_chunk(const Pack* w, Index rows, SourceRange sources, const Pack* b, Index columns,
                    Pack* g);

/// Scatters a chunk of g to the sums of its targets; the last sum is the dummy target's.
void add_moves(const ScatterChunk& moves, const Pack* g, Pack* sums);

/// y = A x for a panel of kPanel columns, rows of packs; y is padded to whole strips.
void multiply_panel(const SameSpinStrips& a, const Pack* x, Pack* y);

}  // namespace cisolve::ci

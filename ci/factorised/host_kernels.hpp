#pragma once

#include "base/pack.hpp"
#include "ci/factorised/couplings_view.hpp"
#include "ci/factorised/string_strips.hpp"

// The inner loops of a factorised product on one thread of the host. Sums run in one order,
// whatever the number of threads. Buffers begin where packs may.
namespace cisolve::ci {

// A pack holds neighbouring columns of a panel, or a number of each alpha string that is worked on:
// how beta strings are joined is the same for all of them, so that those of all move together.
using base::Pack;
inline constexpr int kTogether = base::kPackLanes;  // alpha strings that are worked on at once

inline constexpr int kPanelPacks = 4;
inline constexpr int kPanel =
    kPanelPacks * kTogether;  // columns that a string matrix multiplies at once

inline constexpr int kTileColumns = 4;  // of a chunk, that are multiplied together
static_assert(kChunk % kTileColumns == 0);

/// Those from `first` on of `count` sources.
struct SourceRange {
  Index first;
  Index count;
};

/// g = w b for `rows` rows and the first `columns` columns, and those of the last one's tile: w is
/// rows x sources, b is, for one tile after the other, sources x kTileColumns, g is rows x
/// kRowStride.
void multiply_chunk(const Pack* w, Index rows, SourceRange sources, const Pack* b, Index columns,
                    Pack* g);

/// Adds the moves of a chunk to the sums of their targets; one more stands behind them for what is
/// none.
void add_moves(const ChunkMoves& moves, const Pack* g, Pack* sums);

/// y = A x for panels of kPanel columns, rows of packs; y has rows for all of the last strip.
void multiply_panel(const StringStrips& a, const Pack* x, Pack* y);

}  // namespace cisolve::ci

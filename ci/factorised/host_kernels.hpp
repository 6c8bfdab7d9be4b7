#pragma once

#include <vector>

#include "ci/factorised/couplings_view.hpp"
#include "ci/factorised/string_matrix.hpp"

// The inner loops of a factorised product on one thread of the host. Sums run in one order,
// whatever the number of threads.
namespace cisolve::ci {

inline constexpr int kPanel = 16;  // columns that a string matrix multiplies at once

/// g = w b for `rows` rows: w is rows x sources, b is sources x kChunk, g is rows x kRowStride.
void multiply_chunk(const double* w, Index rows, Index sources, const double* b, double* g);

/// Adds the moves of a chunk to the sums of their targets; one more stands behind them for what is
/// none.
void add_moves(const ChunkMoves& moves, const double* g, double* sums);

/// y = A x for panels of kPanel columns, stored by rows.
void multiply_panel(const StringMatrix& a, const double* x, double* y);

}  // namespace cisolve::ci

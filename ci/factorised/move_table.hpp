#pragma once

#include <functional>
#include <vector>

#include "ci/factorised/couplings_view.hpp"

namespace cisolve::ci {

/// How rows of g are added to the beta strings of a list, in the order of chunks, slices and lanes
/// that CouplingsView tells of. Offsets count from the table's own first slice and move.
struct MoveTable {
  std::vector<Index> chunks;  // and the end
  std::vector<Index> slices;  // and the end
  std::vector<Column> targets;
  std::vector<ChunkMove> moves;
  Index count = 0;  // of moves, without what fills up slices

  /// Calls take(row, column, odd) for the moves that end at a target.
  using Take = std::function<void(Index row, Index column, bool odd)>;
  using MovesTo = std::function<void(Index target, const Take& take)>;
  static MoveTable of(Index targets, Index columns, const MovesTo& moves_to);
};

}  // namespace cisolve::ci

#pragma once

#include <functional>
#include <vector>

#include "base/backend.hpp"
#include "ci/factorised/couplings_view.hpp"

namespace cisolve::ci {

/// How rows of g are added to the beta strings of a list.
struct ScatterTable {
  std::vector<Index> chunks;         // first word of each, and the end
  std::vector<std::uint32_t> words;  // as ChunkMoves reads them
  Index count = 0;                   // of moves, without what fills up slices

  /// Calls take(row, column, odd) for the moves that end at a target, from any thread.
  using Take = std::function<void(Index row, Index column, bool odd)>;
  using MovesTo = std::function<void(Index target, const Take& take)>;
  static ScatterTable of(Index targets, Index columns, const MovesTo& moves_to,
                         const base::Backend& host);
};

}  // namespace cisolve::ci

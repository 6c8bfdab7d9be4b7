#pragma once

#include <functional>
#include <vector>

#include "base/backend.hpp"
#include "ci/hamiltonian/factorised/opposite_spin_view.hpp"

namespace cisolve::ci {

/// The scatter of rows of g to the beta strings of a list.
struct ScatterTable {
  std::vector<Index> chunks;         // first word of each, and the end
  std::vector<std::uint32_t> words;  // chunks in the format of ScatterChunk
  Index count = 0;                   // entries, padding excluded

  /// An entry: an element of g; odd: it is subtracted.
  using Take = std::function<void(Index row, Index column, bool odd)>;
  /// Calls take() for each entry of a target; called concurrently.
  using MovesTo = std::function<void(Index target, const Take& take)>;
  static ScatterTable of(Index targets, Index columns, const MovesTo& moves_to,
                         const base::Backend& host);
};

}  // namespace cisolve::ci

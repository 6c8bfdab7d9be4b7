#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "solver/parts/parts.hpp"
#include "solver/search/missed_states.hpp"
#include "solver/task/model_space.hpp"

namespace cisolve::solver {

/// How a search of one part has ended, and to what it has found.
struct PartOutcome {
  Search search;
  bool is_close = false;                       // what it sees may lie at the shift itself
  std::optional<base::MultiVector> direction;  // to a state below
};

struct PartsOutcome {
  std::optional<PartOutcome> likely;  // where it was searched
  std::optional<PartOutcome> other;
  Index products = 0;
  double seconds = 0;  // of these
};

/// The blocks on the lowest rows of both parts that go into the weights of their searches, where
/// they were made before.
struct LowBlocks {
  std::optional<RowBlock> likely;
  std::optional<RowBlock> other;

  const RowBlock* of(ParitySide side) const {
    const std::optional<RowBlock>& block = side == ParitySide::likely ? likely : other;
    return block ? &*block : nullptr;
  }
};

/// What a search of parts looks for: states below `shift` that are not `known`.
struct WhatToSearch {
  double shift;
  /// Of the likely part, anywhere: states, and images (A - shift) V of what is known above them;
  /// without any, that is not searched.
  std::vector<const base::MultiVector*> known = {};
  double next = 0;  // the lowest value that was seen above the state, by which weights are chosen
  Index most = 0;   // products
  const LowBlocks* low = nullptr;
};

/// Where vectors of parts lie, and who has them.
struct Whereabouts {
  base::Backend backend;
  const base::Communicator& ranks = kOneProcess;
};

/// Looks into both parts step by step, with one product for both. `tell` is asked after each
/// whether to go on, and says the same on all ranks. Nothing where any of these has no room.
std::optional<PartsOutcome> search_parts(const BothParts& parts, const Whereabouts& where,
                                         const Options& options, const WhatToSearch& searched,
                                         const std::function<bool()>& tell);

}  // namespace cisolve::solver

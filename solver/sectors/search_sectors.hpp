#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "solver/search/missed_states.hpp"
#include "solver/sectors/sectors.hpp"
#include "solver/task/model_space.hpp"

namespace cisolve::solver {

/// End of the search of one sector, and what it found.
struct SectorOutcome {
  SearchRun search;
  bool is_close = false;                       // the lowest value seen may lie at the shift itself
  std::optional<base::MultiVector> direction;  // direction to a state below
};

struct SectorPairOutcome {
  std::optional<SectorOutcome> likely;  // set if it was searched
  std::optional<SectorOutcome> other;
  Index products = 0;
  double seconds = 0;  // time of these searches
};

/// Precomputed blocks on the lowest rows of both sectors, for CongruenceScaling.
struct LowestRowBlocks {
  std::optional<RowBlock> likely;
  std::optional<RowBlock> other;

  const RowBlock* of(ParitySide side) const {
    const std::optional<RowBlock>& block = side == ParitySide::likely ? likely : other;
    return block ? &*block : nullptr;
  }
};

/// Request for a search: states below `shift` that are not `known`.
struct SectorSearch {
  double shift;
  /// States of the likely sector, and images (A - shift) V of vectors known above them, on any
  /// backend; if empty, that sector is not searched.
  std::vector<const base::MultiVector*> known = {};
  double next = 0;  // lowest value seen above the state; sets the scaling
  Index most = 0;   // limit of products
  const LowestRowBlocks* low = nullptr;
};

/// Backend and ranks of the sectors' vectors.
struct VectorPlacement {
  base::Backend backend;
  const base::Communicator& ranks = kOneProcess;
};

/// Searches both sectors, with one combined product a step. `goes_on` is called after each step and
/// returns the same on all ranks; false stops. Returns nothing if any rank lacks memory.
std::optional<SectorPairOutcome> search_sectors(const SectorPair& parts,
                                                const VectorPlacement& where,
                                                const Options& options,
                                                const SectorSearch& searched,
                                                const std::function<bool()>& goes_on);

}  // namespace cisolve::solver

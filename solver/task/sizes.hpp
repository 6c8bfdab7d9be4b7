#pragma once

#include "solver/task/options.hpp"

namespace cisolve::solver {

/// How the search space of a solution is laid out.
struct Sizes {
  int states = 1;
  int guards = 0;    // carried along beside the states
  int width = 1;     // directions added at once
  int capacity = 2;  // columns of the basis
  int kept = 1;      // Ritz vectors that survive a restart
  int krylov = 2;    // columns of a Lanczos basis: more, for it has no images beside it
};

/// For `dimension` rows over all ranks, when at most `most_columns` columns fit into the memory.
/// Throws Fault::resources when not even the states and one direction do.
Sizes choose_sizes(const Options& options, Index dimension, Index most_columns);

}  // namespace cisolve::solver

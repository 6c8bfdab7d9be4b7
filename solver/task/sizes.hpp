#pragma once

#include "solver/task/options.hpp"

namespace cisolve::solver {

/// How the search space of a solution is laid out.
struct Sizes {
  int states = 1;
  int guards = 0;         // carried along beside the states
  int width = 1;          // directions added at once
  int capacity = 2;       // columns of the basis
  int kept = 1;           // Ritz vectors that survive a restart
  int krylov = 2;         // columns of a Lanczos basis: more, for it has no images beside it
  bool is_tight = false;  // few vectors a state: only what descends is worth a column
};

/// Vectors that Lanczos ends with at most: those that are carried along beside the states, or one
/// above them, for a search needs to know where the spectrum goes on.
int most_from_lanczos(int states, int guards, SearchEffort search);

/// Of so many columns that fit, with as many that span what is followed, those that a search space
/// may have.
Index columns_of_basis(const Options& options, Index followed, Index fitting);

/// For `dimension` rows over all ranks, when at most `most_columns` columns fit into the memory.
/// Throws Fault::resources when not even the states and one direction do.
Sizes choose_sizes(const Options& options, Index dimension, Index most_columns);

}  // namespace cisolve::solver

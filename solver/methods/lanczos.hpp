#pragma once

#include <optional>

#include "solver/task/lanczos_remainder.hpp"
#include "solver/task/result.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// Result of thick-restart Lanczos: Ritz vectors, whose residuals are still to be computed.
struct LanczosResult {
  Checkpoint states;
  double largest_ritz = 0;  // largest |theta|
  double spread = 0;        // spread of the Ritz values
  int restarts = 0;
  std::vector<Iteration> history = {};
  bool stopped = false;  // whether the observer stopped the solve
  /// Whether the observer or the limit of iterations ended it, which was reported.
  bool ended = false;
  std::optional<LanczosRemainder> rest = {};  // set if a search follows and memory is left
};

/// Whether a search space can hold Lanczos steps: all rows, or the states, a vector and its image.
bool has_columns_for_lanczos(const Sizes& sizes, Index dimension);

/// Thick-restart Lanczos (Wu and Simon 2000) with full reorthogonalisation, one vector at a time:
/// for operators without a useful diagonal, and for many states if no row dominates. It keeps no
/// images, but more vectors instead. An iteration is a product. `start` is null, or a checkpoint
/// for which was_of_lanczos() is true.
LanczosResult lanczos(const Task& task, const Checkpoint* start);

/// Whether a checkpoint holds more Ritz vectors than states and the vector that carries their
/// residuals, so that Lanczos can continue without an extra product.
bool was_of_lanczos(const Checkpoint& checkpoint, const Sizes& sizes);

}  // namespace cisolve::solver

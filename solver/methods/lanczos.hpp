#pragma once

#include <optional>

#include "solver/task/krylov_rest.hpp"
#include "solver/task/result.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// What thick-restart Lanczos ends with: Ritz vectors, whose residuals are yet to be computed.
struct LanczosResult {
  Checkpoint states;
  double largest_ritz = 0;  // magnitude of a Ritz value
  double spread = 0;        // of the Ritz values
  int restarts = 0;
  std::vector<Iteration> history = {};
  bool stopped = false;  // by the observer
  bool ended = false;    // by the observer or the limit of iterations, to which it was reported
  std::optional<KrylovRest> rest = {};  // where a search follows, and memory is left
};

/// Whether a search space has room for steps: for all of the rows, or for the states, a vector and
/// its image.
bool has_room_for_lanczos(const Sizes& sizes, Index dimension);

/// Lanczos with thick restart and full reorthogonalisation, one vector at a time: for operators
/// without a useful diagonal, and for many states where no row dominates. Holds no images,
/// but more vectors in their place. An iteration is a product.
/// `start` is null, or such a checkpoint as was_of_lanczos() knows.
LanczosResult lanczos(const Task& task, const Checkpoint* start);

/// Ritz vectors, more than there are states, and what couples them to the rest: enough to go on
/// without a product more.
bool was_of_lanczos(const Checkpoint& checkpoint, const Sizes& sizes);

}  // namespace cisolve::solver

#pragma once

#include "solver/task/result.hpp"
#include "solver/task/task.hpp"

namespace cisolve::solver {

/// What thick-restart Lanczos ends with: Ritz vectors, whose residuals are yet to be computed.
struct LanczosResult {
  Checkpoint states;
  double largest_ritz = 0;  // magnitude of a Ritz value
  int restarts = 0;
  std::vector<Iteration> history = {};
  bool stopped = false;  // by the observer
  bool ended = false;    // by the observer or the limit of iterations, to which it was reported
};

/// Whether a search space has room for steps: for all of the rows, or for the states, a block and
/// its image.
bool has_room_for_lanczos(const Sizes& sizes, Index dimension);

/// Block Lanczos with thick restart and full reorthogonalisation, for operators without a useful
/// diagonal. Holds one block of vectors, not its image. An iteration is one restart cycle.
LanczosResult lanczos(const Task& task);

}  // namespace cisolve::solver

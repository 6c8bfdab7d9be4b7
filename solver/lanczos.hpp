#pragma once

#include "solver/result.hpp"
#include "solver/task.hpp"

namespace cisolve::solver {

/// What thick-restart Lanczos ends with: Ritz vectors, whose residuals are yet to be computed.
struct LanczosResult {
  Checkpoint states;
  int restarts = 0;
  std::vector<Iteration> history = {};
  bool stopped = false;
};

/// Block Lanczos with thick restart and full reorthogonalisation, for operators without a useful
/// diagonal. Holds one block of vectors, not its image. An iteration is one restart cycle.
LanczosResult lanczos(const Task& task);

}  // namespace cisolve::solver

#pragma once

#include "solver/observer.hpp"
#include "solver/result.hpp"
#include "solver/sizes.hpp"
#include "solver/start.hpp"

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
LanczosResult lanczos(MeteredOperator& matrix, Vectors& vectors, const Preparation& preparation,
                      const Options& options, const Sizes& sizes, Observer* observer);

}  // namespace cisolve::solver

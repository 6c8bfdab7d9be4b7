#pragma once

#include "base/ranks/layout.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::job {

/// The ranks that solve a matrix together, and the distribution of its rows.
struct Distribution {
  const base::Communicator& ranks = solver::kOneProcess;
  base::Layout layout = {};
};

}  // namespace cisolve::job

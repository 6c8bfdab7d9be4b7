#pragma once

#include "base/ranks/layout.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::job {

/// The ranks that have shares of a matrix and solve it together, and how its rows are shared out.
struct Distribution {
  const base::Communicator& ranks = solver::kOneProcess;
  base::Layout layout = {};
};

}  // namespace cisolve::job

#pragma once

#include "solver/methods/solve.hpp"
#include "solver/parts/parts.hpp"

namespace cisolve::solver {

/// The lowest state of a problem, found in one of its parts and searched for in both
/// of them: what lies below in the other one is found there. Where no search looks into that, its
/// lowest state is followed until it is clearly above, or found. Vectors take the memory of a part
/// but for the state in the end; checkpoints are of the whole.
Result solve_by_parts(const Parts& parts, const Problem& whole, const Options& options,
                      Observer* observer = nullptr, const Checkpoint* start = nullptr);

}  // namespace cisolve::solver

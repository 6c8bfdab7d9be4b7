#pragma once

#include "solver/methods/solve.hpp"
#include "solver/sectors/sectors.hpp"

namespace cisolve::solver {

/// Finds the lowest state of a problem by solving its likely sector and searching both; a state
/// found below in the other sector is refined there. Without a search, the lowest state of the
/// other sector is followed until it is converged or clearly above. Vectors have the size of a
/// sector, except the final state; checkpoints are of the full space.
Result solve_by_sectors(const Sectors& parts, const Problem& whole, const Options& options,
                        Observer* observer = nullptr, const Checkpoint* start = nullptr);

}  // namespace cisolve::solver

#pragma once

#include <optional>
#include <vector>

#include "base/multivector.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::solver {

/// State of a solver: a few vectors that span the states and their last directions, and counters.
/// Products are recomputed on resuming. Vectors without counters are a start from a file. A solver
/// writes each rank's own rows, and reads these or, on every rank, all rows; all other members are
/// the same on all ranks.
struct Checkpoint {
  base::MultiVector basis;  // on any backend; need not be orthonormal
  base::Layout layout;      // layout of the basis's rows
  std::vector<double> energies = {};
  int iterations = 0;
  base::Index products = 0;
};

/// Distributes a checkpoint that only rank 0 has, if any, by a layout. Collective.
std::optional<Checkpoint> distribute_checkpoint(const base::Communicator& ranks,
                                                const base::Layout& layout,
                                                std::optional<Checkpoint> of_first);

}  // namespace cisolve::solver

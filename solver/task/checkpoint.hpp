#pragma once

#include <optional>
#include <vector>

#include "base/multivector.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::solver {

/// All that a solver needs to go on: a few vectors that span the states and the directions in which
/// they were moving, and the counters. Products with the matrix are taken anew, so that nothing
/// stale is ever carried over. Vectors alone are a start from a file. A solver gives each rank its
/// own rows, and takes these or, on every rank, all rows; all else is the same on all of them.
struct Checkpoint {
  base::MultiVector basis;  // on any backend; need not be orthonormal
  base::Layout layout;      // of its rows
  std::vector<double> energies = {};
  int iterations = 0;
  base::Index products = 0;
};

/// One that rank 0 alone has, if it has any, as each rank takes it that has its rows by this
/// layout. All ranks call it together.
std::optional<Checkpoint> share_out(const base::Communicator& ranks, const base::Layout& layout,
                                    std::optional<Checkpoint> of_first);

}  // namespace cisolve::solver

#pragma once

#include "ci/hamiltonian/rows/hamiltonian.hpp"

namespace cisolve::ci {

/// Estimated cost of a product with computed elements.
struct ComputedCost {
  bool by_blocks = false;  // whether products run by blocks, not by rows
  double moves = 0;        // elements with a beta excitation (upper bound)
  double streams = 0;      // elements with the same beta string
  double copies = 0;       // elements of x copied to shared memory
  double largest = 0;      // sum of these three in the largest item
  Index bytes = 0;         // tables, estimated
  RowCost walk = {};       // finding all rows one after the other

  double elements() const { return moves + streams; }
};

}  // namespace cisolve::ci

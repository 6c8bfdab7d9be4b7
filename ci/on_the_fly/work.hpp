#pragma once

#include "ci/hamiltonian/hamiltonian.hpp"

namespace cisolve::ci {

/// What a product with computed elements has to do, before anything is made for it.
struct ProductWork {
  bool by_blocks = false;  // else by rows
  double moves = 0;        // elements that a beta string's move leads to, at most
  double streams = 0;      // elements with the same beta string, as many as are looked at
  double copies = 0;       // of numbers of x
  double largest = 0;      // of these three together, in the item that has most
  Index bytes = 0;         // of tables, about
  RowWork walk = {};       // of rows, one after the other

  double elements() const { return moves + streams; }
};

}  // namespace cisolve::ci

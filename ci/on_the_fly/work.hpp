#pragma once

#include "base/types.hpp"

namespace cisolve::ci {

using base::Index;

/// What a product with computed elements has to do, before anything is made for it.
struct ProductWork {
  bool by_blocks = false;  // else by rows, of which nothing more is known
  double moves = 0;        // elements that a beta string's move leads to, at most
  double streams = 0;      // elements with the same beta string, as many as are looked at
  double copies = 0;       // of numbers of x
  double largest = 0;      // of these three together, in the item that has most
  Index bytes = 0;         // of tables, about

  double elements() const { return moves + streams; }
};

}  // namespace cisolve::ci

#pragma once

#include <memory>

#include "base/backend.hpp"
#include "base/operator.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::base {

/// An operator of whose rows each rank has a share, and how they are shared out.
struct SharedOperator {
  std::unique_ptr<LinearOperator> product;
  Layout layout = {};
};

/// Of a product that reads whole vectors of a backend's memory and writes its rows of this rank
/// alone: y has these and no others, the diagonal is a whole column, of which no more is read. The
/// layout has at most one piece on a rank. Each holds the room for the whole vectors that it
/// multiplies at once, at most four; all ranks take products of it together, which share that room.
std::unique_ptr<LinearOperator> share_of_rows(const Communicator& ranks, Layout layout,
                                              std::unique_ptr<LinearOperator> product,
                                              const Backend& backend);

}  // namespace cisolve::base

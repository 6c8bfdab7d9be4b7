#pragma once

#include <memory>

#include "base/backend.hpp"
#include "base/operator.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::base {

/// Operator whose rows are distributed over ranks, and their layout.
struct DistributedOperator {
  std::unique_ptr<LinearOperator> product;
  Layout layout = {};
};

/// Distributed operator from a product that reads whole vectors and writes this rank's rows only;
/// its diagonal is a whole column. The layout has at most one piece per rank. Allocates whole
/// vectors for up to four products at once, which products share. Collective, as are its products.
std::unique_ptr<LinearOperator> make_distributed_operator(const Communicator& ranks, Layout layout,
                                                          std::unique_ptr<LinearOperator> product,
                                                          const Backend& backend);

}  // namespace cisolve::base

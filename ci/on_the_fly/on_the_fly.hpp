#pragma once

#include <memory>

#include "base/operator.hpp"
#include "ci/hamiltonian/hamiltonian.hpp"

namespace cisolve::ci {

/// The Hamiltonian with its elements computed in each product, so that none of it is stored. In
/// canonical order, whatever the partition of `h`, of which it keeps copies. Vectors lie in the
/// backend's memory; all of a block use an element that was computed once. The same bits each time.
std::unique_ptr<base::LinearOperator> on_the_fly(const HamiltonianRows& h,
                                                 const base::Backend& backend);

}  // namespace cisolve::ci

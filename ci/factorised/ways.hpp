#pragma once

#include <memory>

#include "base/operator.hpp"
#include "ci/hamiltonian/hamiltonian.hpp"

// Where a factorised product may be taken.
namespace cisolve::ci {

std::unique_ptr<base::LinearOperator> factors_on_host(const HamiltonianRows& h);

namespace cuda {
std::unique_ptr<base::LinearOperator> factors(const HamiltonianRows& h,
                                              const base::Backend& device);
}  // namespace cuda

}  // namespace cisolve::ci

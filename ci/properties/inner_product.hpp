#pragma once

#include "base/types.hpp"

namespace cisolve::ci {

/// Inner product of two arrays; the order of summation depends on their length only.
double inner_product(const double* a, const double* b, base::Index count);

}  // namespace cisolve::ci

#pragma once

#include "base/types.hpp"

namespace cisolve::ci {

/// The inner product of two arrays, in an order that depends on their length alone.
double line_product(const double* a, const double* b, base::Index count);

}  // namespace cisolve::ci

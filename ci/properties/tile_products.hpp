#pragma once

#include "base/types.hpp"

namespace cisolve::ci {

inline constexpr base::Index kProductTileRows = 24;
inline constexpr base::Index kProductTileColumns = 6;

/// sums[column * stride + row] += sum over k < count of a[k][row] * x[k][column], of one tile.
void add_tile_products(const double* a, const double* x, base::Index count, double* sums,
                       base::Index stride);

}  // namespace cisolve::ci

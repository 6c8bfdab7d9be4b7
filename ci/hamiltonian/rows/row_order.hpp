#pragma once

#include "base/array.hpp"
#include "base/block.hpp"

namespace cisolve::ci {

/// y(i) = x(order[i]) for all rows of all columns; all arguments are in the memory of the backend.
void gather_rows(const base::Backend& backend, const base::Array<base::Column>& order,
                 base::ConstBlock x, base::Block y);

/// y(order[i]) = x(i) for all rows of x and all columns; other rows of y are unchanged. All
/// arguments are in the memory of the backend.
void scatter_rows(const base::Backend& backend, const base::Array<base::Column>& order,
                  base::ConstBlock x, base::Block y);

namespace cuda {
void gather_rows(const base::Backend& device, const base::Array<base::Column>& order,
                 base::ConstBlock x, base::Block y);
void scatter_rows(const base::Backend& device, const base::Array<base::Column>& order,
                  base::ConstBlock x, base::Block y);
}  // namespace cuda

}  // namespace cisolve::ci

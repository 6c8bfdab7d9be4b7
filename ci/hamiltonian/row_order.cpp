#include "ci/hamiltonian/row_order.hpp"

#include "base/loops.hpp"

namespace cisolve::ci {

void gather_rows(const base::Backend& backend, const base::Array<base::Column>& order,
                 base::ConstBlock x, base::Block y) {
  constexpr base::Index kRowsPerChunk = 4096;
  if (!backend.is_host()) return cuda::gather_rows(backend, order, x, y);
  base::for_each_chunk(order.size(), kRowsPerChunk, backend,
                       [&](base::Index first, base::Index last) {
                         for (int j = 0; j < x.columns; ++j)
                           for (base::Index row = first; row < last; ++row)
                             y(row, j) = x(order[row], j);
                       });
}

}  // namespace cisolve::ci

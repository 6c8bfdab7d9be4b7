#include "ci/hamiltonian/rows/row_order.hpp"

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr base::Index kRowsPerChunk = 4096;

/// Calls move(i, order[i], column) for all rows and columns.
template <class Move>
void for_each_row_in_order(const base::Backend& host, const base::Array<base::Column>& order,
                           int columns, Move&& move) {
  base::for_each_chunk(order.size(), kRowsPerChunk, host, [&](base::Index first, base::Index last) {
    for (int j = 0; j < columns; ++j)
      for (base::Index row = first; row < last; ++row) move(row, order[row], j);
  });
}

}  // namespace

void gather_rows(const base::Backend& backend, const base::Array<base::Column>& order,
                 base::ConstBlock x, base::Block y) {
  if (!backend.is_host()) return cuda::gather_rows(backend, order, x, y);
  for_each_row_in_order(backend, order, x.columns, [&](base::Index row, base::Index place, int j) {
    y(row, j) = x(place, j);
  });
}

void scatter_rows(const base::Backend& backend, const base::Array<base::Column>& order,
                  base::ConstBlock x, base::Block y) {
  if (!backend.is_host()) return cuda::scatter_rows(backend, order, x, y);
  for_each_row_in_order(backend, order, x.columns, [&](base::Index row, base::Index place, int j) {
    y(place, j) = x(row, j);
  });
}

}  // namespace cisolve::ci

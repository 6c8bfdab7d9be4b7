#pragma once

#include <span>
#include <vector>

#include "ci/hamiltonian/row_tables.hpp"

namespace cisolve::ci {

/// What electrons of one spin do alone among strings that stand beside the same strings of the
/// other spin: a symmetric matrix with ascending columns. Strings are numbered so that those which
/// no integral joins, as of different irreps, do not lie among each other, and so that those with
/// columns in common are neighbours (string_order).
struct StringMatrix {
  base::Array<Index> offsets;
  base::Array<Column> columns;
  base::Array<double> values;
  std::vector<Index> strings;  // of each row, its place among those it was made of

  Index rows() const { return offsets.size() - 1; }
};

/// Whether one thread has gone through all elements before others would be awake.
inline bool is_soon_passed(const StringMatrix& matrix) {
  constexpr Index kElements = Index{1} << 19;
  return matrix.columns.size() <= kElements;
}

/// Of the alpha strings of a list, ascending, and of its beta strings. Each has half of the core
/// energy.
struct SpinMatrices {
  StringMatrix alpha;
  StringMatrix beta;
  bool are_alike;  // row by row
};
SpinMatrices spin_matrices(const RowTablesView& t, std::span<const Column> alphas, Index list,
                           const base::Backend& host);

}  // namespace cisolve::ci

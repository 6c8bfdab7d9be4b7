#pragma once

#include <span>
#include <vector>

#include "ci/hamiltonian/rows/row_tables.hpp"

namespace cisolve::ci {

/// Same-spin part of H among the strings of one spin that share their strings of the other spin:
/// one- and two-electron terms, symmetric CSR with ascending columns. string_order() numbers the
/// strings: connected parts (such as irreps) one after the other, strings with common columns next
/// to each other.
struct SameSpinMatrix {
  base::Array<Index> offsets;
  base::Array<Column> columns;
  base::Array<double> values;
  std::vector<Index> strings;  // position of each row's string in the list it was built from

  Index rows() const { return offsets.size() - 1; }
};

/// Whether one thread passes over all elements faster than others would start.
inline bool is_small_matrix(const SameSpinMatrix& matrix) {
  constexpr Index kElements = Index{1} << 19;
  return matrix.columns.size() <= kElements;
}

/// The matrices of a list's alpha strings (ascending) and beta strings. Each diagonal has half of
/// the core energy.
struct SameSpinMatrices {
  SameSpinMatrix alpha;
  SameSpinMatrix beta;
  bool are_alike;  // row by row
};
SameSpinMatrices same_spin_matrices(const RowTablesView& t, std::span<const Column> alphas,
                                    Index list, const base::Backend& host);

}  // namespace cisolve::ci

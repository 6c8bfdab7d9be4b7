#pragma once

#include <vector>

#include "ci/hamiltonian/factorised/opposite_spin.hpp"
#include "ci/hamiltonian/factorised/same_spin_matrix.hpp"

namespace cisolve::ci {

/// The determinants of all alpha strings with one list of beta strings: C as a matrix, alpha x
/// beta.
struct SameSpinBlock {
  std::vector<Column> alphas;     // strings, in the order of `alpha`'s rows
  std::vector<Index> first_rows;  // first determinant of each string
  Index columns = 0;              // beta strings
  SameSpinMatrix alpha;
  SameSpinMatrix beta;
  bool are_alike = false;  // alpha == beta, row by row
};

/// All blocks of a space that may_factorise().
std::vector<SameSpinBlock> same_spin_blocks(const RowTables& tables, const base::Backend& host);

/// Whether the lists of beta strings are disjoint, at most 64 and at most 65,535 strings long.
bool has_factorisable_lists(const Space& space);

}  // namespace cisolve::ci

#pragma once

#include <vector>

#include "ci/hamiltonian/factorised/couplings.hpp"
#include "ci/hamiltonian/factorised/string_matrix.hpp"

namespace cisolve::ci {

/// The determinants of all alpha strings with one list of beta strings: C as a matrix, alpha x
/// beta.
struct ProductBlock {
  std::vector<Column> alphas;     // strings, in the order of `alpha`'s rows
  std::vector<Index> first_rows;  // their first determinants
  Index columns = 0;              // beta strings
  StringMatrix alpha;
  StringMatrix beta;
  bool are_alike = false;  // alpha == beta, row by row
};

/// All blocks of a space that may_factorise().
std::vector<ProductBlock> product_blocks(const RowTables& tables, const base::Backend& host);

/// Whether the lists of beta strings are disjoint, at most 64 and at most 65,535 strings long.
bool has_factors(const Space& space);

}  // namespace cisolve::ci

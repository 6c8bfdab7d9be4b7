#pragma once

#include <vector>

#include "ci/factorised/couplings.hpp"
#include "ci/factorised/string_matrix.hpp"

namespace cisolve::ci {

/// The rows of all alpha strings that go with one list of beta strings: a matrix, alpha by beta.
struct ProductBlock {
  std::vector<Column> alphas;     // strings, in the order of `alpha`'s rows
  std::vector<Index> first_rows;  // of these
  Index columns = 0;              // beta strings
  StringMatrix alpha;
  StringMatrix beta;
  bool are_alike = false;  // these two
};

/// All blocks of a space that may_factorise().
std::vector<ProductBlock> product_blocks(const RowTables& tables, const base::Backend& host);

/// Whether no beta string stands in two lists of a space, and there are neither too many lists nor
/// too long ones.
bool has_factors(const Space& space);

}  // namespace cisolve::ci

#pragma once

#include "base/types.hpp"

namespace cisolve::sparse {

using base::Column;
using base::Index;

/// Shape of a matrix. The leading `reference_columns` are the Reference region, the others the
/// Expansion space. `symmetric` promises that both triangles are given and agree.
struct MatrixShape {
  Index rows = 0;
  Index columns = 0;
  Index reference_columns = 0;
  bool symmetric = false;
};

/// Throws ErrorKind::bad_input for a negative or too large dimension.
void require_storable(const MatrixShape& shape);

}  // namespace cisolve::sparse

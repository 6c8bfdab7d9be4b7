#pragma once

#include <vector>

#include "base/small_matrix.hpp"

namespace cisolve::solver {

using base::SmallMatrix;

/// h s_j = values_j s_j, values ascending, columns of `vectors` orthonormal, or orthonormal in a
/// metric.
struct EigenPairs {
  std::vector<double> values;
  SmallMatrix vectors;
};

/// All eigenpairs of a small symmetric matrix; reads the lower triangle.
EigenPairs symmetric_eigen(const SmallMatrix& h);

/// h s_j = values_j metric s_j, s^T metric s = 1.
EigenPairs symmetric_eigen(const SmallMatrix& h, const SmallMatrix& metric);

/// a = left diag(values) right^T; values descending, columns of `left` and `right` orthonormal.
struct SingularValues {
  std::vector<double> values;
  SmallMatrix left;
  SmallMatrix right;
};

/// The singular value decomposition of a small square matrix.
SingularValues singular_values(const SmallMatrix& a);

/// Columns with the same nested spans as those of c and c^T metric c = 1.
SmallMatrix orthonormal_columns(const SmallMatrix& c, const SmallMatrix& metric);

/// a b and a^T b
SmallMatrix product(const SmallMatrix& a, const SmallMatrix& b);
SmallMatrix transposed_product(const SmallMatrix& a, const SmallMatrix& b);

/// Columns first .. first + count.
SmallMatrix columns_of(const SmallMatrix& a, int first, int count);
/// Columns by their indices.
SmallMatrix columns_of(const SmallMatrix& a, const std::vector<int>& numbers);

/// `kept` and the columns of `extra` that are linearly independent of it, orthonormalised; the
/// columns of `kept` must be orthonormal.
SmallMatrix extended_by(const SmallMatrix& kept, const SmallMatrix& extra);

}  // namespace cisolve::solver

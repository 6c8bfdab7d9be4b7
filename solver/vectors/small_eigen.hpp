#pragma once

#include <vector>

#include "base/small_matrix.hpp"

namespace cisolve::solver {

using base::SmallMatrix;

/// h s_j = values_j s_j, values ascending, the columns of `vectors` orthonormal: in the identity,
/// or in a metric.
struct EigenPairs {
  std::vector<double> values;
  SmallMatrix vectors;
};

/// All eigenpairs of a small symmetric matrix, of which the lower triangle is read.
EigenPairs symmetric_eigen(const SmallMatrix& h);

/// h s_j = values_j metric s_j, s^T metric s = 1.
EigenPairs symmetric_eigen(const SmallMatrix& h, const SmallMatrix& metric);

/// Columns that span the same, each no more than those before it, with c^T metric c = 1.
SmallMatrix orthonormal_columns(const SmallMatrix& c, const SmallMatrix& metric);

/// a b and a^T b
SmallMatrix product(const SmallMatrix& a, const SmallMatrix& b);
SmallMatrix transposed_product(const SmallMatrix& a, const SmallMatrix& b);

/// Columns first .. first + count.
SmallMatrix columns_of(const SmallMatrix& a, int first, int count);
/// Columns by their numbers.
SmallMatrix columns_of(const SmallMatrix& a, const std::vector<int>& numbers);

/// The columns of `extra` that have a direction of their own beside the orthonormal columns of
/// `kept`, made orthonormal to them and to each other and appended.
SmallMatrix extended_by(const SmallMatrix& kept, const SmallMatrix& extra);

}  // namespace cisolve::solver

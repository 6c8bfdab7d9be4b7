#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/small_matrix.hpp"
#include "solver/vectors/small_eigen.hpp"

namespace cisolve::solver {

/// Householder tridiagonalisation A = Q T Q^T of a symmetric matrix, whose lower triangle is read.
/// Much cheaper than all eigenvectors.
class TridiagonalForm {
 public:
  explicit TridiagonalForm(const SmallMatrix& a);

  int rows() const { return rows_; }

  /// x = Q^T x and x = Q x.
  void multiply_by_q_transposed(std::span<double> x) const;
  void multiply_by_q(std::span<double> x) const;

  /// Number of eigenvalues below `value` (Sturm count).
  int count_below(double value) const;

  /// x = (T - shift)^-1 x; vanishing pivots become rounding errors: x is then huge along an
  /// eigenvector.
  void solve(double shift, std::span<double> x) const;

  /// The lowest eigenpairs of T, orthonormal also if eigenvalues coincide; none if that cannot be
  /// had to rounding, as for a matrix that is not finite.
  std::optional<EigenPairs> lowest(int count) const;

  /// All eigenvalues of A, ascending, with the last element of each eigenvector up to its sign:
  /// much cheaper than all eigenvectors. None if values are not finite, or extremely large or
  /// small.
  struct LastElements {
    std::vector<double> values;
    std::vector<double> last;
  };
  std::optional<LastElements> last_elements() const;

 private:
  double* column(int j) { return columns_.data() + base::Index{j} * rows_; }
  const double* column(int j) const { return columns_.data() + base::Index{j} * rows_; }
  double reflect(int k);  // makes the reflection of column k
  void reduce();
  double value_of(int index, double low) const;
  bool find_vector(int index, EigenPairs& pairs) const;
  double residual(double value, std::span<const double> x) const;

  int rows_;
  std::vector<double> columns_;  // A, later the Householder vectors below the diagonal
  std::vector<double> factors_;  // 1 - factor v v^T is a reflection
  std::vector<double> diagonal_;
  std::vector<double> off_diagonal_;  // off-diagonal elements
  double size_ = 0;                   // bound of every eigenvalue's magnitude
};

}  // namespace cisolve::solver

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/small_matrix.hpp"
#include "solver/vectors/small_eigen.hpp"

namespace cisolve::solver {

/// A = Q T Q^T of a symmetric matrix, of which the lower triangle is read: T is tridiagonal, Q a
/// product of reflections. It costs a small part of what all eigenvectors do.
class TridiagonalForm {
 public:
  explicit TridiagonalForm(const SmallMatrix& a);

  int rows() const { return rows_; }

  /// x = Q^T x and x = Q x.
  void take_in(std::span<double> x) const;
  void bring_out(std::span<double> x) const;

  /// Eigenvalues below `value`.
  int count_below(double value) const;

  /// x = (T - shift)^-1 x, where a pivot that vanishes is taken for a rounding error: then x is
  /// huge along an eigenvector.
  void solve(double shift, std::span<double> x) const;

  /// The lowest eigenpairs of T, orthonormal also where eigenvalues are the same; none where that
  /// cannot be had to rounding, as where the matrix has values that are not numbers.
  std::optional<EigenPairs> lowest(int count) const;

  /// All eigenvalues of A, ascending, with the last element of the eigenvector of each, up to its
  /// sign: far sooner had than whole vectors. None where they cannot be had, as of numbers that are
  /// very large or small or none.
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
  std::vector<double> columns_;  // of A, then below the diagonal the vectors of the reflections
  std::vector<double> factors_;  // 1 - factor v v^T is a reflection
  std::vector<double> diagonal_;
  std::vector<double> beside_;  // from the diagonal to the next row
  double size_ = 0;             // no eigenvalue is larger in magnitude
};

}  // namespace cisolve::solver

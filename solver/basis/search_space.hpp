#pragma once

#include <optional>

#include "solver/vectors/metered_operator.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {

/// An orthonormal basis V, its image A V and the projected matrix H = V^T A V, in a fixed number of
/// columns. The free columns behind the basis are the room in which new directions are made. With
/// an energy to which states are to be near, A - energy stands in place of A, so that little is
/// lost where it is squared.
class SearchSpace {
 public:
  SearchSpace(MeteredOperator& matrix, Vectors& vectors, int capacity,
              std::optional<double> energy = {});

  int size() const { return size_; }
  int capacity() const { return basis_.columns(); }
  int room() const { return capacity() - size_; }
  /// How often the basis has become another one.
  Index changes() const { return changes_; }

  ConstColumns basis() const { return columns_of(basis_, 0, size_); }
  ConstColumns image() const { return columns_of(image_, 0, size_); }
  /// Free columns: of the basis, and as many of the image for scratch.
  Columns free_basis(int count) { return columns_of(basis_, size_, count); }
  Columns free_image(int count) { return columns_of(image_, size_, count); }

  /// Takes what the first `count` free columns add to the basis: V = orth[V, W], A V = [A V, A W].
  /// Returns the number of new columns.
  int append(int count);

  /// V = V C, A V = A V C, H = C^T H C for orthonormal columns of C.
  void collapse(const SmallMatrix& c);

  /// The eigenpairs of H.
  EigenPairs ritz() const;
  const SmallMatrix& projected() const { return projected_; }
  /// (A V)^T A V, where an energy is given.
  const SmallMatrix& squared() const { return squared_; }
  double shift() const { return energy_.value_or(0); }

  /// Frees A V; the basis is then all there is.
  base::MultiVector take_vectors(const SmallMatrix& c) &&;

 private:
  MeteredOperator& matrix_;
  Vectors& vectors_;
  std::optional<double> energy_;
  base::MultiVector basis_;
  base::MultiVector image_;
  SmallMatrix projected_;
  SmallMatrix squared_;
  int size_ = 0;
  Index changes_ = 0;
};

}  // namespace cisolve::solver

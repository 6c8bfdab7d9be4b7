#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "solver/task/sizes.hpp"
#include "solver/vectors/metered_operator.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {

/// Basis V, orthonormal up to rounding to single precision, its image A V and the projected matrix
/// H = V^T A V, with a fixed number of columns. New directions are made in the free columns. Images
/// are of A - shift instead of A: near a target energy, squaring, rounding and the repeated
/// rotations of restarts then lose little.
class SearchSpace {
 public:
  struct Kind {
    int capacity = 2;
    BasisStorage basis_storage = BasisStorage::full;
    int exact = 0;              // staged columns in double precision
    int workspace_columns = 0;  // free columns in addition
    double shift = 0;
    bool squares = false;  // whether to maintain squared()
    /// The first Rayleigh quotient becomes the shift if the rounding error of images would exceed
    /// this; infinite: only if images are kept in single precision.
    double precision = std::numeric_limits<double>::infinity();
  };
  SearchSpace(MeteredOperator& matrix, Vectors& vectors, const Kind& kind);

  int size() const { return size_; }
  int capacity() const { return kind_.capacity; }
  /// Number of free columns.
  int free_columns() const {
    return std::min(kind_.capacity - size_, basis_.columns() - first_free());
  }
  /// Number of changes of the basis so far.
  Index changes() const { return changes_; }

  ConstColumns basis() const { return kept(basis_, basis_store_); }
  ConstColumns image() const { return kept(image_, image_store_); }
  /// Free columns of the basis, and of the image as scratch.
  Columns free_basis(int count) { return columns_of(basis_, first_free(), count); }
  Columns free_image(int count) { return columns_of(image_, first_free(), count); }

  /// Appends the directions W in the first `count` free columns: V = orth[V, W], A V = [A V, A W].
  /// Returns the number of new columns.
  int append(int count);

  /// V = V C, A V = A V C, H = C^T H C for orthonormal columns of C.
  void collapse(const SmallMatrix& c);

  /// Bound on the error of the stored A V s due to single precision; 0 if all is in double.
  double image_error(const SmallMatrix& s, int column) const;
  /// Recomputes the image of a vector, which must be stored in double precision.
  void recompute_images(int vector);

  /// After a rotation: re-orthonormalises the vectors and recomputes all images, with one product
  /// each and, if the shift is free, with this one. Returns by how much each image changed, which
  /// is the error of products and rotations. On a staged basis only the first `staged_count` images
  /// are recomputed, and the result is empty.
  std::vector<double> recompute_all_images(double shift, int staged_count);

  /// The eigenpairs of H.
  EigenPairs ritz() const;
  const SmallMatrix& projected() const { return projected_; }
  /// (A V)^T A V, if Kind::squares.
  const SmallMatrix& squared() const { return squared_; }
  double shift() const { return kind_.shift; }

  /// Returns V c and frees A V.
  base::MultiVector take_vectors(const SmallMatrix& c) &&;

 private:
  bool is_staged() const { return kind_.basis_storage != BasisStorage::full; }
  bool rounds() const { return is_staged() && kind_.exact < kind_.capacity; }
  int first_free() const { return is_staged() ? 0 : size_; }
  ConstColumns kept(const base::MultiVector& here,
                    const std::optional<HostPanelStore>& store) const;
  void multiply(ConstColumns x, Columns y);
  void choose_shift(ConstColumns x, ConstColumns y);
  void make_orthonormal();
  std::vector<double> replace_images(double shift);
  void store_columns(ConstColumns w, ConstColumns image);
  void rotate_stores(const SmallMatrix& c);

  MeteredOperator& matrix_;
  Vectors& vectors_;
  Kind kind_;
  base::MultiVector basis_;
  base::MultiVector image_;
  std::optional<HostPanelStore> basis_store_;
  std::optional<HostPanelStore> image_store_;
  std::vector<double> norms_;         // norms of the staged images
  std::vector<double> image_errors_;  // error bounds of these
  SmallMatrix projected_;
  SmallMatrix metric_;  // V^T V, which rounding to single precision moves away from 1
  SmallMatrix squared_;
  int size_ = 0;
  Index changes_ = 0;
};

}  // namespace cisolve::solver

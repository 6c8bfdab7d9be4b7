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

/// A basis V, orthonormal but for what rounding to single precision leaves, its image A V and the
/// projected matrix H = V^T A V, in a fixed number of columns. The free columns are the room in
/// which new directions are made. A - shift stands in place of A: near an energy to which states
/// are to be near little is lost where it is squared, and little where images are rounded or
/// rotated, which a restart does again and again.
class SearchSpace {
 public:
  struct Kind {
    int capacity = 2;
    Keeping keeping = Keeping::full;
    int exact = 0;  // of those that are staged, in double precision
    int desk = 0;   // free columns beside these
    double shift = 0;
    bool squares = false;  // whether squared() is wanted
    /// The first quotient becomes the shift where images would lose more than this by rounding;
    /// infinite: only where they are kept in single precision.
    double precision = std::numeric_limits<double>::infinity();
  };
  SearchSpace(MeteredOperator& matrix, Vectors& vectors, const Kind& kind);

  int size() const { return size_; }
  int capacity() const { return kind_.capacity; }
  /// Columns that are free.
  int room() const { return std::min(kind_.capacity - size_, basis_.columns() - first_free()); }
  /// How often the basis has become another one.
  Index changes() const { return changes_; }

  ConstColumns basis() const { return kept(basis_, basis_shelf_); }
  ConstColumns image() const { return kept(image_, image_shelf_); }
  /// Free columns: of the basis, and as many of the image for scratch.
  Columns free_basis(int count) { return columns_of(basis_, first_free(), count); }
  Columns free_image(int count) { return columns_of(image_, first_free(), count); }

  /// Takes what the first `count` free columns add to the basis: V = orth[V, W], A V = [A V, A W].
  /// Returns the number of new columns.
  int append(int count);

  /// V = V C, A V = A V C, H = C^T H C for orthonormal columns of C.
  void collapse(const SmallMatrix& c);

  /// How far A V s, as it is kept, may be from that, for what images lose where they are kept in
  /// single precision; 0 where none is.
  double blur(const SmallMatrix& s, int column) const;
  /// Makes the image of a vector anew, which is one of those in double precision.
  void sharpen(int vector);

  /// After a rotation: makes the vectors orthonormal and all images anew, by a product each, with
  /// this shift where it is free. Returns by how much each image was another one, for what products
  /// and rotations had lost. Of those on a shelf it does the same as sharpen() for the first
  /// `of_shelf`, and tells nothing.
  std::vector<double> renew(double shift, int of_shelf);

  /// The eigenpairs of H.
  EigenPairs ritz() const;
  const SmallMatrix& projected() const { return projected_; }
  /// (A V)^T A V, where it is wanted.
  const SmallMatrix& squared() const { return squared_; }
  double shift() const { return kind_.shift; }

  /// Frees A V; the basis is then all there is.
  base::MultiVector take_vectors(const SmallMatrix& c) &&;

 private:
  bool is_shelved() const { return kind_.keeping != Keeping::full; }
  bool rounds() const { return is_shelved() && kind_.exact < kind_.capacity; }
  int first_free() const { return is_shelved() ? 0 : size_; }
  ConstColumns kept(const base::MultiVector& here, const std::optional<Shelf>& shelf) const;
  void multiply(ConstColumns x, Columns y);
  void choose_shift(ConstColumns x, ConstColumns y);
  void make_orthonormal();
  std::vector<double> renew_images(double shift);
  void shelve(ConstColumns w, ConstColumns image);
  void rotate_shelves(const SmallMatrix& c);

  MeteredOperator& matrix_;
  Vectors& vectors_;
  Kind kind_;
  base::MultiVector basis_;
  base::MultiVector image_;
  std::optional<Shelf> basis_shelf_;
  std::optional<Shelf> image_shelf_;
  std::vector<double> norms_;  // of the images on their shelf
  std::vector<double> blurs_;  // what these have lost
  SmallMatrix projected_;
  SmallMatrix metric_;  // V^T V, from which rounding to single precision takes the identity
  SmallMatrix squared_;
  int size_ = 0;
  Index changes_ = 0;
};

}  // namespace cisolve::solver

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solver/task/checkpoint.hpp"
#include "solver/task/preconditioner.hpp"

namespace cisolve::solver {

/// Whether a solution makes a model, where its elements are known without products, or not.
bool wants_model(const Options& options, bool knows_elements);

/// Eigenvectors of it that the solution will ask for.
int starts_of_model(const Options& options);

/// What a problem offers to an iterative solver: its diagonal, its model space, a preconditioner
/// and start vectors.
class Preparation {
 public:
  Preparation(const Problem& problem, const Options& options, MeteredOperator& matrix,
              Vectors& vectors);
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  const Preconditioner& preconditioner() const { return *preconditioner_; }
  /// A diagonal that tells the rows apart.
  bool has_diagonal() const { return diagonal_.has_value(); }
  bool has_model() const { return model_ != nullptr; }
  double width_of_diagonal() const { return extrema_.largest - extrema_.lowest; }
  double largest_diagonal() const { return largest_diagonal_; }  // 0 if unknown
  Index model_products() const { return model_products_; }

  /// What is taken in place of what was asked for by name; empty where that can be had.
  std::string note_of_preconditioner() const;
  std::string note_of_start() const;

  /// Fills y with start vectors: eigenvectors of the model space, unit vectors of the lowest
  /// diagonal elements, or random ones. All of them carry small random components, so that a start
  /// with the symmetry of another state does no harm. `scratch` is as large as y, and `first` of
  /// them were filled into others before.
  void fill_start(Columns y, Columns scratch, int first = 0) const;

  /// Random vectors rich in states near `shift`.
  void fill_random(std::uint64_t seed, double shift, Columns y) const;

  /// A random vector, the richer in low states the more the diagonal tells of them.
  void fill_krylov_start(std::uint64_t seed, Columns y) const;

  /// y = the roots of |D - shift|, or of `floor` where that is larger; ones without a diagonal.
  void fill_weights(double shift, double floor, Columns y) const;

  /// The block of the matrix on about so many rows of the lowest elements of the diagonal; of no
  /// rows where that takes products.
  RowBlock lowest_block(int size) const;

 private:
  std::vector<Index> lowest_behind(ConstColumns column, int first, int count) const;
  bool is_useful(ConstColumns diagonal);
  bool knows_elements() const;  // on all ranks
  std::string reason_against_model() const;
  const Problem& problem_;
  const Options& options_;
  Vectors& vectors_;
  std::optional<base::MultiVector> diagonal_;
  std::optional<ModelSpace> own_model_;
  const ModelSpace* model_ = nullptr;  // that, or one that was made before
  std::unique_ptr<Preconditioner> preconditioner_;
  Index model_products_ = 0;
  double largest_diagonal_ = 0;
  Extrema extrema_;
  bool knows_diagonal_ = false;
};

}  // namespace cisolve::solver

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solver/task/checkpoint.hpp"
#include "solver/task/preconditioner.hpp"

namespace cisolve::solver {

/// Whether a solution uses a model space, given whether its elements are known without products.
bool wants_model(const Options& options, bool knows_elements);

/// Number of eigenvectors of the model space that a solution needs.
int starts_of_model(const Options& options);

/// Setup of an iterative solver: diagonal, model space, preconditioner and start vectors.
class SolverSetup {
 public:
  SolverSetup(const Problem& problem, const Options& options, MeteredOperator& matrix,
              Vectors& vectors);
  SolverSetup(const SolverSetup&) = delete;
  SolverSetup& operator=(const SolverSetup&) = delete;

  const Preconditioner& preconditioner() const { return *preconditioner_; }
  /// Whether a diagonal that distinguishes rows is known.
  bool has_diagonal() const { return diagonal_.has_value(); }
  bool has_model() const { return model_ != nullptr; }
  double width_of_diagonal() const { return extrema_.largest - extrema_.lowest; }
  double largest_diagonal() const { return largest_diagonal_; }  // 0 if unknown
  Index model_products() const { return model_products_; }

  /// Notes on replacements for named options; empty if there are none.
  std::string note_of_preconditioner() const;
  std::string note_of_start() const;

  /// Fills y with start vectors: eigenvectors of the model space, unit vectors of the lowest
  /// diagonal elements, or random ones, each with a small random component, so that a start of
  /// another symmetry does no harm. `scratch` has the shape of y; `first`: number of start vectors
  /// made before.
  void fill_start(Columns y, Columns scratch, int first = 0) const;

  /// Random vectors, preconditioned at `shift`.
  void fill_random(std::uint64_t seed, double shift, Columns y) const;

  /// A random vector, enriched in low states by the diagonal if it is known.
  void fill_krylov_start(std::uint64_t seed, Columns y) const;

  /// y = sqrt(max(|D - shift|, floor)); ones without a diagonal.
  void fill_scaling(double shift, double floor, Columns y) const;

  /// Block of the matrix on about `size` rows of lowest diagonal elements; empty if that would take
  /// products.
  RowBlock lowest_block(int size) const;

 private:
  std::vector<Index> lowest_behind(ConstColumns column, int first, int count) const;
  bool is_useful(ConstColumns diagonal);
  bool knows_elements() const;  // whether all ranks know elements
  std::string reason_against_model() const;
  const Problem& problem_;
  const Options& options_;
  Vectors& vectors_;
  std::optional<base::MultiVector> diagonal_;
  std::optional<ModelSpace> own_model_;
  const ModelSpace* model_ = nullptr;  // the given model space, or Problem::model
  std::unique_ptr<Preconditioner> preconditioner_;
  Index model_products_ = 0;
  double largest_diagonal_ = 0;
  Extrema extrema_;
  bool knows_diagonal_ = false;
};

}  // namespace cisolve::solver

#pragma once

#include <memory>
#include <optional>

#include "job/problem/source.hpp"
#include "job/products/product.hpp"
#include "job/products/remote_product.hpp"

namespace cisolve::job {

/// A product with all that it refers to.
struct BuiltOperator {
  ProblemRows rows;  // empty if no longer needed
  PreparedProduct prepared;
  base::Layout layout;  // layout of the operator's rows; empty for one process
  base::Backend backend;
};

/// Owns the operator of the solution until it is released. If its rows are distributed, rank 0
/// multiplies whole vectors through the other ranks (RemoteProduct).
class SolvedOperator {
 public:
  /// The rows are distributed over `workers`.
  SolvedOperator(const base::Communicator& workers, BuiltOperator built);
  SolvedOperator(const SolvedOperator&) = delete;
  SolvedOperator& operator=(const SolvedOperator&) = delete;
  ~SolvedOperator() = default;

  const base::Backend& backend() const { return built_.backend; }
  /// Null unless the problem is one of determinants, and after the release.
  const DeterminantProblem* determinant_problem() const {
    return determinant_problem_of(built_.rows);
  }
  bool is_shared() const { return served_.has_value(); }
  bool multiplies_on(const base::Backend& backend) const {
    return backend.kind() == built_.backend.kind();
  }

  /// The operator on whole vectors in memory of `backend`, which is that of the product or its
  /// host; null if there is none.
  const base::LinearOperator* on_whole_vectors(const base::Backend& backend);
  /// Whether products with whole vectors on rank 0's host were requested.
  bool has_served_on_host() const { return served_on_host_.has_value(); }

  /// Ranks other than 0: executes a request of rank 0.
  void execute(const WorkerRequest& asked) const { served_->execute(asked); }

  /// Frees the operator on all ranks that share it.
  void release();

 private:
  const base::Communicator& workers_;
  BuiltOperator built_;
  std::optional<RemoteProduct> served_;
  std::optional<RemoteProduct> served_on_host_;  // set if the device cannot hold whole vectors
};

}  // namespace cisolve::job

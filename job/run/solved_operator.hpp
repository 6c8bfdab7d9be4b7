#pragma once

#include <memory>
#include <optional>

#include "job/problem/source.hpp"
#include "job/products/product.hpp"
#include "job/products/remote_product.hpp"

namespace cisolve::job {

/// A product that was built, and what it needs to stay.
struct BuiltOperator {
  ProblemRows rows;  // nothing where nobody asks for them any more
  PreparedProduct prepared;
  base::Layout layout;  // of its rows; none where one process has them all
  base::Backend backend;
};

/// Owns the operator that states were found with, until it is released. Where ranks share its rows,
/// the first multiplies whole vectors with the help of the others.
class SolvedOperator {
 public:
  /// `workers` have shares of the rows.
  SolvedOperator(const base::Communicator& workers, BuiltOperator built);
  SolvedOperator(const SolvedOperator&) = delete;
  SolvedOperator& operator=(const SolvedOperator&) = delete;
  ~SolvedOperator() = default;

  const base::Backend& backend() const { return built_.backend; }
  /// Null where the problem is none of determinants, and after the release.
  const DeterminantProblem* molecule() const { return molecule_of(built_.rows); }
  bool is_shared() const { return served_.has_value(); }
  bool multiplies_on(const base::Backend& backend) const {
    return backend.kind() == built_.backend.kind();
  }

  /// The operator on whole vectors in memory of `backend`, which is that of the product or its
  /// host; null where there is none.
  const base::LinearOperator* on_whole_vectors(const base::Backend& backend);
  /// Whether whole vectors have travelled from the host of the first rank.
  bool has_served_on_host() const { return served_on_host_.has_value(); }

  /// On the other ranks: their part in what the first one asks of the operator.
  void execute(const WorkerRequest& asked) const { served_->execute(asked); }

  /// Frees all of it, on all ranks that have a share.
  void release();

 private:
  const base::Communicator& workers_;
  BuiltOperator built_;
  std::optional<RemoteProduct> served_;
  std::optional<RemoteProduct> served_on_host_;  // where the device has no room for whole vectors
};

}  // namespace cisolve::job

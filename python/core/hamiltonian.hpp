#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "ci/hamiltonian/rows/canonical_operator.hpp"
#include "job/problem/product_drafts.hpp"
#include "job/problem/source.hpp"
#include "job/products/product.hpp"
#include "job/request/request.hpp"
#include "job/states/solver_adapter.hpp"
#include "sparse/formats/csr.hpp"

namespace cisolve::python {

using base::Index;

/// The Hamiltonian of a request as an operator. Vectors are in host memory, in canonical order. The
/// product is prepared on first use.
class Hamiltonian {
 public:
  Hamiltonian(job::Request request, base::Backend backend);

  const job::Request& request() const { return request_; }
  const base::Backend& backend() const { return backend_; }
  /// Null for a plain matrix.
  const job::DeterminantProblem* determinant_problem() const {
    return job::determinant_problem_of(rows_);
  }
  Index rows() const { return rows_->shape().rows; }

  /// Thread-safe; products are serialised.
  void apply(base::ConstBlock x, base::Block y);
  std::vector<double> diagonal();
  /// All elements, in canonical order.
  sparse::Csr elements() const;
  /// The lowest states, on the host; of one spin if `view` requests it.
  solver::Result solve(const job::SolverAdapter& view, const solver::Options& options,
                       solver::Observer* observer, const solver::Checkpoint* start);

 private:
  const base::LinearOperator& product();
  void prepare();

  std::mutex mutex_;  // guards the product's scratch memory
  job::Request request_;
  base::Backend backend_;
  job::ProblemRows rows_;
  job::MatrixEstimate counts_;
  job::ProductDrafts computed_;
  job::PreparedProduct prepared_;
  std::optional<ci::CanonicalOperator> canonical_;
};

}  // namespace cisolve::python

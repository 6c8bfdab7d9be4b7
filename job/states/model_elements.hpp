#pragma once

#include <limits>
#include <mutex>

#include "job/problem/determinant_problem.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::job {

/// Number of columns of `rows` elements that are worth a thread: waking one takes longer than the
/// elements of some blocks.
base::Index grain_of_elements(base::Index rows);

/// Blocks of a determinant Hamiltonian straight from its determinants, so that the solver's model
/// space costs no products.
class ModelElements final : public solver::ModelBlock {
 public:
  /// The molecule must outlive it. Elements of at most `threshold` are left out, as in the matrix.
  ModelElements(const DeterminantProblem& molecule, double threshold)
      : molecule_(molecule), threshold_(threshold) {}

  void fill(std::span<const Index> rows, std::span<const Index> columns,
            base::SmallMatrix& block) const override;
  std::vector<Index> lowest(Index count) const override;

 private:
  const DeterminantProblem& molecule_;
  double threshold_;
  mutable std::mutex guard_;
  /// As many rows as were requested, in the order of the diagonal.
  mutable std::vector<Index> lowest_;
  mutable Index too_many_ = std::numeric_limits<Index>::max();  // this many are not found in time
};

}  // namespace cisolve::job

#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/ranks/layout.hpp"
#include "base/ranks/thread_ranks.hpp"
#include "tests/solver/matrices.hpp"

// A matrix distributed over ranks, and the results of the ranks.
namespace cisolve::test {

/// Distribution of rows; "in_pieces": non-contiguous.
struct RowDistribution {
  int ranks;
  std::string name;

  base::Layout of(Index rows) const;
};

/// 1, 2, 3, 5 and 7 ranks with even, uneven, partly empty and non-contiguous distributions; fewer
/// under a sanitizer.
std::vector<RowDistribution> all_distributions();

std::ostream& operator<<(std::ostream& out, const RowDistribution& distribution);

/// Canonical numbers of a rank's rows, in local order.
std::vector<Index> rows_of(const base::Layout& layout, int rank);

/// The backend under test for one rank: one thread, and a budget of its own.
base::Backend backend_of_rank(Index host_bytes = 0);

/// One rank's rows of a dense matrix. A product needs the vectors of all ranks.
class DistributedOperator : public base::LinearOperator {
 public:
  DistributedOperator(const Dense& whole, base::Backend backend, const base::Communicator& ranks,
                      const base::Layout& layout, bool knows_diagonal = true);

  Index rows() const override { return mine_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;

 private:
  Eigen::VectorXd vector_of_all(const double* mine) const;

  Dense mine_;
  Eigen::VectorXd diagonal_;
  base::Backend backend_;
  const base::Communicator& ranks_;
  const base::Layout& layout_;
  bool knows_diagonal_;
};

/// A rank, its rows of a matrix, and its problem.
struct Member {
  Member(const base::Communicator& communicator, const Dense& whole,
         const RowDistribution& distribution, bool knows_diagonal = true, Index host_bytes = 0);
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  const base::Communicator& ranks;
  base::Layout layout;
  base::Backend backend;
  DistributedOperator matrix;
  solver::Problem problem;
};

/// Results of all ranks, and their vectors joined.
struct Found {
  std::vector<solver::Result> of_rank;
  Dense vectors;
};

/// Calls `solve` on each rank. Expects bitwise equal results.
Found solved_by(const RowDistribution& distribution, const Dense& whole,
                const std::function<solver::Result(Member&)>& solve, bool knows_diagonal = true);

/// A rank's rows of x, on its backend.
base::MultiVector own_rows_of(const Dense& x, const Member& member);

}  // namespace cisolve::test

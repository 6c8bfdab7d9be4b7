#pragma once

#include <memory>

#include "base/backend.hpp"
#include "ci/oracle/rowwise.hpp"
#include "job/products/worker_commands.hpp"

namespace cisolve::job {

/// An operator of which every rank has a copy, on whole vectors in memory of rank 0. Rank 0 sends
/// requests, and each rank computes its portion of the rows, bitwise as one process would. Besides
/// the vectors, a rank holds as many whole ones as its memory allows, at least one.
class RemoteRows final : public ci::RowwiseOperator {
 public:
  RemoteRows(const base::Communicator& ranks, std::unique_ptr<ci::OracleProduct> own,
             const base::Backend& host);

  base::Index rows() const override { return layout_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  void multiply_rows(std::span<const base::Index> rows, const double* x,
                     std::span<double> values) const override;
  /// Computed by rank 0 alone.
  bool diagonal(base::Block d) const override { return own_->diagonal(d); }
  base::OperatorDescription description() const override { return own_->description(); }

  /// Ranks other than 0: takes part in requested rows.
  void execute(const WorkerRequest& asked) const;

 private:
  int columns_at_once(int columns) const;
  void multiply_all(int columns, base::ConstBlock x, base::Block y) const;
  void multiply_some(base::Index count, std::span<const base::Index> rows, const double* x,
                     std::span<double> values) const;
  void scatter_vector(const double* of_first, double* whole) const;
  void gather(std::span<const double> mine, const base::Layout& layout,
              std::span<double> all) const;

  const base::Communicator& ranks_;
  std::unique_ptr<ci::OracleProduct> own_;
  base::Backend host_;
  base::Layout layout_;
};

}  // namespace cisolve::job

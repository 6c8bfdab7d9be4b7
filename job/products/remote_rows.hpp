#pragma once

#include <memory>

#include "base/backend.hpp"
#include "ci/oracle/rowwise.hpp"
#include "job/products/worker_commands.hpp"

namespace cisolve::job {

/// An operator that every rank has made, on whole vectors of the first rank's memory: that one
/// asks, and each computes its share of the rows. What a row gets is, to the bit, what the operator
/// would give it in one process. Beside the vectors a rank holds as many whole ones as it has room
/// for, at least one.
class RemoteRows final : public ci::RowwiseOperator {
 public:
  RemoteRows(const base::Communicator& ranks, std::unique_ptr<ci::OracleProduct> own,
             const base::Backend& host);

  base::Index rows() const override { return layout_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  void multiply_rows(std::span<const base::Index> rows, const double* x,
                     std::span<double> values) const override;
  /// By the first rank alone.
  bool diagonal(base::Block d) const override { return own_->diagonal(d); }
  base::OperatorDescription description() const override { return own_->description(); }

  /// On the other ranks: their part in rows that were asked for.
  void execute(const WorkerRequest& asked) const;

 private:
  int columns_at_once(int columns) const;
  void multiply_all(int columns, base::ConstBlock x, base::Block y) const;
  void multiply_some(base::Index count, std::span<const base::Index> rows, const double* x,
                     std::span<double> values) const;
  void share_vector(const double* of_first, double* whole) const;
  void gather(std::span<const double> mine, const base::Layout& layout,
              std::span<double> all) const;

  const base::Communicator& ranks_;
  std::unique_ptr<ci::OracleProduct> own_;
  base::Backend host_;
  base::Layout layout_;
};

}  // namespace cisolve::job

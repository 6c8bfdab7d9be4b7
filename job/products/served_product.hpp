#pragma once

#include "base/backend.hpp"
#include "base/operator.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::job {

/// A product whose rows are shared out, as an operator on whole vectors of the first rank's memory:
/// that rank asks, and the others serve().
class ServedProduct final : public base::LinearOperator {
 public:
  /// What is given must outlive it.
  ServedProduct(const base::Communicator& ranks, const base::Layout& layout,
                const base::LinearOperator& shared, const base::Backend& host)
      : ranks_(ranks), layout_(layout), shared_(shared), host_(host) {}

  base::Index rows() const override { return layout_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  double purify(double share, base::Block x) const override;
  base::OperatorDescription description() const override { return shared_.description(); }

  /// Nothing more is asked: the others go on.
  void end() const;

 private:
  const base::Communicator& ranks_;
  const base::Layout& layout_;
  const base::LinearOperator& shared_;
  base::Backend host_;
};

/// Takes part, on every rank but the first, in what that one asks of a ServedProduct, until it
/// ends. What cannot be done is an error of the first rank, which may ask again.
void serve(const base::Communicator& ranks, const base::Layout& layout,
           const base::LinearOperator& shared, const base::Backend& host);

}  // namespace cisolve::job

#pragma once

#include <span>

#include "base/operator.hpp"

namespace cisolve::ci {

/// An operator that gives some rows of a product alone. Host only.
class RowwiseOperator : public base::LinearOperator {
 public:
  /// Of one vector. It is quickest where those that follow one another stand near each other.
  virtual void multiply_rows(std::span<const base::Index> rows, const double* x,
                             std::span<double> values) const = 0;
};

}  // namespace cisolve::ci

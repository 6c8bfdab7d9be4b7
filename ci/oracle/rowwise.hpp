#pragma once

#include <functional>
#include <span>
#include <utility>

#include "base/operator.hpp"
#include "base/random.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::ci {

/// An operator that can evaluate single rows of a product. Host only.
class RowwiseOperator : public base::LinearOperator {
 public:
  /// values[i] = (A x)[rows[i]]. Fastest if consecutive rows are near each other.
  virtual void multiply_rows(std::span<const base::Index> rows, const double* x,
                             std::span<double> values) const = 0;
  /// Multiplies rows by a generated vector that need not be stored. Returns false, without result,
  /// if it must be stored.
  virtual bool multiply_rows_of_random(std::span<const base::Index> /*rows*/,
                                       const base::RandomVector& /*x*/,
                                       std::span<double> /*values*/) const {
    return false;
  }
};

/// The oracle's interface: a product made from the problem alone, by which states are verified, and
/// that can be restricted to a rank's rows.
class OracleProduct : public RowwiseOperator {
 public:
  /// Contiguous rows per rank, in canonical order, with about equal work.
  virtual base::Layout row_layout(int ranks) const = 0;

  /// Restricts apply() to these rows, one piece of row_layout(); y then has these rows only.
  virtual void keep_rows(base::Index first, base::Index count) = 0;

  /// Reports progress: the callback receives the number of rows that apply() has finished, from any
  /// thread.
  void watch(std::function<void(base::Index rows)> observer) { observer_ = std::move(observer); }

 protected:
  void report_rows(base::Index rows) const {
    if (observer_) observer_(rows);
  }

 private:
  std::function<void(base::Index)> observer_;
};

}  // namespace cisolve::ci

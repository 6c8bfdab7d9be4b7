#pragma once

#include <functional>
#include <span>
#include <utility>

#include "base/operator.hpp"
#include "base/random.hpp"
#include "base/ranks/layout.hpp"

namespace cisolve::ci {

/// An operator that gives some rows of a product alone. Host only.
class RowwiseOperator : public base::LinearOperator {
 public:
  /// Of one vector. It is quickest where those that follow one another stand near each other.
  virtual void multiply_rows(std::span<const base::Index> rows, const double* x,
                             std::span<double> values) const = 0;
  /// The same of a vector that need not be held; false, and nothing, where it has to be.
  virtual bool multiply_rows_of_random(std::span<const base::Index> /*rows*/,
                                       const base::RandomVector& /*x*/,
                                       std::span<double> /*values*/) const {
    return false;
  }
};

/// One that is made from its problem alone, by which states are verified, and that can leave rows
/// to others.
class DirectProduct : public RowwiseOperator {
 public:
  /// Neighbouring rows for each of so many ranks, in canonical order, with about as much work.
  virtual base::Layout shares(int ranks) const = 0;

  /// From now on apply() is of these rows alone, one of such shares, and they are all that y has.
  virtual void keep(base::Index first, base::Index count) = 0;

  /// From now on `hear` is told, from any thread, of the rows of apply() that are done.
  void watch(std::function<void(base::Index rows)> hear) { hear_ = std::move(hear); }

 protected:
  void tell(base::Index rows) const {
    if (hear_) hear_(rows);
  }

 private:
  std::function<void(base::Index)> hear_;
};

}  // namespace cisolve::ci

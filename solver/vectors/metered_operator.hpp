#pragma once

#include "solver/vectors/problem.hpp"

namespace cisolve::solver {

/// The matrix of a problem, with its products counted and timed.
class MeteredOperator {
 public:
  explicit MeteredOperator(const Problem& problem);

  base::Index rows() const { return matrix_.rows(); }
  void apply(base::ConstBlock x, base::Block y);

  base::Index products() const { return products_; }
  void continue_from(base::Index products) { products_ = products; }
  double seconds() const { return seconds_; }
  double bytes_per_second() const;

 private:
  const base::LinearOperator& matrix_;
  base::Backend backend_;
  base::Index bytes_moved_;
  base::Index products_ = 0;
  base::Index products_here_ = 0;
  double seconds_ = 0;
};

}  // namespace cisolve::solver

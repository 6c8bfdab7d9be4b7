#pragma once

#include <vector>

#include "base/multivector.hpp"
#include "bench/products/workload.hpp"

namespace cisolve::bench {

/// Expected products on the host: random vectors x, and A x in extended precision.
class Reference {
 public:
  Reference(const Workload& matrix, int vectors, const base::Backend& host);

  const base::MultiVector& x() const { return x_; }

  /// Largest |y - A x| of a row, relative to the sum of |a||x| of that row; infinite for NaN.
  double error(const base::MultiVector& y) const;

  /// Bound on this error from rounding in numbers of this precision.
  double allowed_error(double unit_roundoff) const;

 private:
  Index rows_;
  Index longest_row_;
  base::MultiVector x_;
  std::vector<long double> sums_;  // vector after vector
  std::vector<double> magnitudes_;
};

}  // namespace cisolve::bench

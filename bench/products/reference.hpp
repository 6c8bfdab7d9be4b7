#pragma once

#include <vector>

#include "base/multivector.hpp"
#include "bench/products/workload.hpp"

namespace cisolve::bench {

/// What a product must be: random vectors x, and A x in extended precision, on the host.
class Reference {
 public:
  Reference(const Workload& matrix, int vectors, const base::Backend& host);

  const base::MultiVector& x() const { return x_; }

  /// The largest |y - A x| of a row, over the sum of |a||x| of that row; infinite for what is no
  /// number.
  double error(const base::MultiVector& y) const;

  /// What rounding alone may leave of it, for a product in numbers of this precision.
  double allowed_error(double unit_roundoff) const;

 private:
  Index rows_;
  Index longest_row_;
  base::MultiVector x_;
  std::vector<long double> sums_;  // vector after vector
  std::vector<double> magnitudes_;
};

}  // namespace cisolve::bench

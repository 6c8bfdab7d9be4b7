#pragma once

#include <span>
#include <vector>

#include "base/array.hpp"

namespace cisolve::solver {

/// A symmetric tridiagonal matrix that is similar to a dense one.
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> off_diagonal;  // one less
};

Tridiagonal tridiagonal_of(const base::Array<double>& dense, base::Index rows);

/// Sylvester's law of inertia: the number of eigenvalues below `shift` is the number of negative
/// pivots of T - shift.
base::Index count_below(const Tridiagonal& t, double shift);

}  // namespace cisolve::solver

#pragma once

#include <span>
#include <vector>

#include "base/array.hpp"

namespace cisolve::solver {

/// Symmetric tridiagonal matrix similar to a dense one.
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> off_diagonal;  // one element less than the diagonal
};

Tridiagonal tridiagonal_of(const base::Array<double>& dense, base::Index rows);

/// Number of eigenvalues below `shift`: the number of negative pivots of T - shift (Sylvester's law
/// of inertia).
base::Index count_below(const Tridiagonal& t, double shift);

}  // namespace cisolve::solver

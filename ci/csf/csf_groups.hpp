#pragma once

#include <vector>

#include "ci/csf/csf_basis.hpp"

namespace cisolve::ci {

/// Where the determinants of a configuration begin among the rows of a basis, and its functions.
struct CsfPlace {
  Index first_row;
  Index first_function;
};

/// The configurations with as many open shells: all have the same matrix between the patterns of
/// these and the functions. Kernels read both ways what lies beside it, and so it is there twice.
struct CsfGroup {
  Index configurations;
  Index first_place;
  Index patterns;
  Index functions;
  Index first_coefficient;  // sign(i) * ordered(i, f), in either order
};

/// A basis by its groups, with most open shells first: their sums are the longest, and begin
/// before the many short ones.
struct CsfGroups {
  explicit CsfGroups(const CsfBasis& basis);

  std::vector<CsfGroup> groups;
  base::Array<CsfPlace> places;
  base::Array<double> by_pattern;   // functions side by side
  base::Array<double> by_function;  // patterns side by side
};

}  // namespace cisolve::ci

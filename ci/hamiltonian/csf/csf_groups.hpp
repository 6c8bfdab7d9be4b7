#pragma once

#include <vector>

#include "ci/hamiltonian/csf/csf_basis.hpp"

namespace cisolve::ci {

/// Offsets of a configuration in CsfBasis::rows() and in the functions.
struct CsfPlace {
  Index first_row;
  Index first_function;
};

/// Configurations with equally many open shells: they share the matrix from spin patterns to
/// functions. It is stored in both orders, since expansion and contraction read it along different
/// dimensions.
struct CsfGroup {
  Index configurations;
  Index first_place;
  Index patterns;
  Index functions;
  Index first_coefficient;  // sign(i) * ordered(i, f), in both orders
};

/// A basis by groups, most open shells first: their long sums are scheduled before the many short
/// ones.
struct CsfGroups {
  explicit CsfGroups(const CsfBasis& basis);

  std::vector<CsfGroup> groups;
  base::Array<CsfPlace> places;
  base::Array<double> by_pattern;   // functions contiguous
  base::Array<double> by_function;  // patterns contiguous
};

}  // namespace cisolve::ci

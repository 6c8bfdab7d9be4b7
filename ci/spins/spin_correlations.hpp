#pragma once

#include "base/block.hpp"
#include "ci/spins/spin_basis.hpp"

namespace cisolve::ci {

/// What the spins of a state have to do with one another; of states with a symmetry, the mean over
/// all that it makes of them.
struct SpinCorrelations {
  int sites = 0;
  std::vector<double> z;    // <S^z_a>
  std::vector<double> zz;   // <S^z_a S^z_b>, sites by sites
  std::vector<double> dot;  // <S_a . S_b>

  double dot_of(int a, int b) const { return dot[a * sites + b]; }
  /// <S^2> of all spins together.
  double s2() const;
};

/// How many words are looked up for that.
double correlation_work(const SpinBasis& basis);

/// Of one state, in the memory of a backend. The same bits whatever the number of threads.
SpinCorrelations spin_correlations(const SpinBasis& basis, base::ConstBlock x,
                                   const base::Backend& backend);

}  // namespace cisolve::ci

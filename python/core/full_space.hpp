#pragma once

#include <nanobind/nanobind.h>

#include "ci/fock/spaces/space.hpp"

namespace cisolve::python {

using base::Index;

/// All determinants of the given electrons, without a Hamiltonian: densities and spins of vectors.
class FullSpace {
 public:
  FullSpace(int orbitals, int alpha, int beta);

  const ci::Space& space() const { return space_; }
  Index alphas() const { return std::ssize(space_.strings(ci::Spin::alpha)); }
  Index betas() const { return std::ssize(space_.strings(ci::Spin::beta)); }

  /// y_pq = a+_p a_q x for all p, q and electrons of one spin: n^2 vectors.
  void apply_excitations(ci::Spin spin, const double* x, double* y) const;

 private:
  ci::Space space_;
};

void bind_full_space(nanobind::module_& module);

}  // namespace cisolve::python

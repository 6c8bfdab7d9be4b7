#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace cisolve::job {

/// Integrals over real orbitals in memory instead of a file: chemists' notation (pq|rs), Hartree.
struct GivenIntegrals {
  int orbitals = 0;
  int alpha = 0;  // electrons
  int beta = 0;
  double core_energy = 0;
  std::vector<double> one_body;  // h_pq, row by row
  /// (pq|rs): over all four indices; over pairs p >= q and pairs r >= s; or the lower triangle of
  /// the latter. The length says which one.
  std::vector<double> two_body;
  /// Irreps of the orbitals, numbered as in ORBSYM; none: no symmetry.
  std::vector<base::Index> irreps = {};
  std::string point_group = {};  // point group of these irreps; empty: not known
  /// Integrals of spin-dependent (unrestricted) orbitals: beta-beta, packed like `two_body`, and
  /// mixed (pq|rs) with p, q alpha and r, s beta, over all four indices or pairs by pairs. All
  /// three or none.
  std::vector<double> beta_one_body = {};
  std::vector<double> beta_two_body = {};
  std::vector<double> mixed_two_body = {};

  /// True if any is given; validation then names those that are missing.
  bool are_spin_dependent() const {
    return !beta_one_body.empty() || !beta_two_body.empty() || !mixed_two_body.empty();
  }
};

}  // namespace cisolve::job

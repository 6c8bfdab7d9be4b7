#pragma once

#include <string>
#include <vector>

#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::job {

using base::Index;

/// Orbital p of one problem is, up to a sign, orbital to[p] of another.
struct SignedOrder {
  std::vector<int> to;
  std::vector<double> sign;
};

/// Correspondence of the orbitals of two problems, as far as the integrals determine it.
struct OrbitalMatch {
  SignedOrder best;
  /// Others that the integrals do not exclude, with the open question: none of these may change the
  /// states that are carried over.
  struct Alternative {
    SignedOrder order;
    std::string open;  // what is undetermined, such as "the sign of orbital 3"
  };
  std::vector<Alternative> alternatives;
};

/// The most orbitals that can be matched.
inline constexpr int kMostMatched = 40;

/// Finds the order and signs of the orbitals of `earlier_integrals` that are nearest to
/// `own_integrals`; both are restricted, with as many orbitals. `occupations` belong to a state of
/// `own_integrals`. Integrals of two geometries differ, so distances are in the quantities that
/// change least: mean fields, (pp|qq) and (pq|pq) for the order, all others for the signs. Another
/// order or sign is an alternative unless it is at least twice as far away.
OrbitalMatch match_orbitals(const ci::Integrals& own_integrals,
                            const ci::Integrals& earlier_integrals,
                            const std::vector<double>& occupations);

}  // namespace cisolve::job

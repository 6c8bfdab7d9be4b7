#pragma once

#include <string>
#include <vector>

#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::job {

using base::Index;

/// Orbital p of one problem is, but for a sign, orbital to[p] of another.
struct SignedOrder {
  std::vector<int> to;
  std::vector<double> sign;
};

/// How the orbitals of one problem stand in another, as far as integrals tell.
struct OrbitalMatch {
  SignedOrder best;
  /// Others that the integrals do not exclude, with what they leave open: none of these may make a
  /// difference to the states that are carried over.
  struct Alternative {
    SignedOrder order;
    std::string open;  // such as "the sign of orbital 3"
  };
  std::vector<Alternative> alternatives;
};

/// Integrals over so many orbitals can be matched.
inline constexpr int kMostMatched = 40;

/// Finds order and signs of the orbitals of `there` that come nearest to `here`, both restricted
/// and over as many orbitals. `occupations` are those of a state of `here`. Integrals of two
/// geometries differ, so that nearest is meant for the quantities that change least: mean fields,
/// (pp|qq) and (pq|pq) for the order, all others for the signs. Another order or sign is an
/// alternative unless it is at least twice as far away.
OrbitalMatch match_orbitals(const ci::Integrals& here, const ci::Integrals& there,
                            const std::vector<double>& occupations);

}  // namespace cisolve::job

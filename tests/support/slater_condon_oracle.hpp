#pragma once

#include <map>
#include <vector>

#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::test {

/// A determinant as occupied (1) and empty (0) spin orbitals: all alpha ones, then all beta ones.
using Occupations = std::vector<char>;

/// Applies a_p or a+_p: false if the result is zero; otherwise the sign changes once for every
/// electron before p.
inline bool annihilate(Occupations& state, int p, double& sign) {
  if (state[p] == 0) return false;
  for (int k = 0; k < p; ++k)
    if (state[k] == 1) sign = -sign;
  state[p] = 0;
  return true;
}

inline bool create(Occupations& state, int p, double& sign) {
  if (state[p] == 1) return false;
  for (int k = 0; k < p; ++k)
    if (state[k] == 1) sign = -sign;
  state[p] = 1;
  return true;
}

/// H |state> by applying every term of
///   E_core + sum h_pq a+_p a_q + 1/2 sum (pq|rs) a+_p a+_r a_s a_q
/// with orbitals from `orbitals`; obviously right, and slow.
inline std::map<Occupations, double> apply_hamiltonian(const ci::Integrals& integrals,
                                                       const std::vector<int>& orbitals,
                                                       const Occupations& state) {
  const int n = integrals.orbitals();
  const ci::Spin spins[] = {ci::Spin::alpha, ci::Spin::beta};
  const auto at = [n](ci::Spin spin, int p) { return spin == ci::Spin::alpha ? p : n + p; };
  std::map<Occupations, double> result;
  result[state] += integrals.core_energy();
  for (const ci::Spin s : spins)
    for (const int p : orbitals)
      for (const int q : orbitals) {
        Occupations one = state;
        double sign = 1;
        if (!annihilate(one, at(s, q), sign)) continue;
        const Occupations removed = one;
        const double removed_sign = sign;
        if (create(one, at(s, p), sign)) result[one] += sign * integrals.one(s, p, q);
        for (const ci::Spin t : spins)
          for (const int r : orbitals)
            for (const int u : orbitals) {
              Occupations two = removed;
              double two_sign = removed_sign;
              if (annihilate(two, at(t, u), two_sign) && create(two, at(t, r), two_sign) &&
                  create(two, at(s, p), two_sign))
                result[two] += 0.5 * two_sign * integrals.two(s, p, q, t, r, u);
            }
      }
  return result;
}

}  // namespace cisolve::test

#pragma once

#include "base/host_device.hpp"
#include "ci/properties/state_sums.hpp"

// One-particle and same-spin two-particle densities.
namespace cisolve::ci {

CISOLVE_HOST_DEVICE inline Index pairs_of(int orbitals) {
  return Index{orbitals} * (orbitals - 1) / 2;
}

/// Index of a pair p > q.
CISOLVE_HOST_DEVICE inline Index place_of_pair(int p, int q) { return Index{p} * (p - 1) / 2 + q; }

/// a+_p a+_r or its reverse order, as the pair p > r and a sign.
struct OrderedPair {
  Index place;
  double sign;
};
CISOLVE_HOST_DEVICE inline OrderedPair ordered(int p, int r) {
  return p > r ? OrderedPair{place_of_pair(p, r), 1} : OrderedPair{place_of_pair(r, p), -1};
}

/// Adds <bra| a+_p a_q |ket> of one spin at p + n q, on the host, from overlaps of strings.
void add_one_transition(const StateSums& sums, Spin spin, const double* bra, const double* ket,
                        std::span<double> values);
/// StateSums::same_spin_density() on the host, from overlaps of strings.
void add_same_spin_density(const StateSums& sums, Spin spin, const double* x,
                           std::span<double> values);
/// Adds <bra| a+_p a+_r a_s a_q |ket> of one spin on the host, from overlaps of strings.
void add_same_spin_transition(const StateSums& sums, Spin spin, const double* bra,
                              const double* ket, std::span<double> values);

}  // namespace cisolve::ci

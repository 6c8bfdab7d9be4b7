#pragma once

#include "base/host_device.hpp"
#include "ci/states/state_sums.hpp"

// The densities of one electron, and of two of one spin, over pairs of orbitals.
namespace cisolve::ci {

CISOLVE_HOST_DEVICE inline Index pairs_of(int orbitals) {
  return Index{orbitals} * (orbitals - 1) / 2;
}

/// Of a pair p > q without p = q.
CISOLVE_HOST_DEVICE inline Index place_of_pair(int p, int q) { return Index{p} * (p - 1) / 2 + q; }

/// a+_p a+_r or its reverse order, as the pair p > r and a sign.
struct OrderedPair {
  Index place;
  double sign;
};
CISOLVE_HOST_DEVICE inline OrderedPair ordered(int p, int r) {
  return p > r ? OrderedPair{place_of_pair(p, r), 1} : OrderedPair{place_of_pair(r, p), -1};
}

/// <bra| a+_p a_q |ket> of one spin, at p + n q, on the host, from the overlaps of strings.
void add_one_transition(const StateSums& sums, Spin spin, const double* bra, const double* ket,
                        std::span<double> values);
/// What StateSums::same_spin_density() is, on the host, from the overlaps of strings.
void add_same_spin_density(const StateSums& sums, Spin spin, const double* x,
                           std::span<double> values);
/// <bra| a+_p a+_r a_s a_q |ket>, likewise.
void add_same_spin_transition(const StateSums& sums, Spin spin, const double* bra,
                              const double* ket, std::span<double> values);

}  // namespace cisolve::ci

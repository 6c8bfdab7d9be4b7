#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ci/fock/integrals/one_electron_operator.hpp"
#include "ci/properties/density.hpp"

// Expectation values, transition moments and oscillator strengths from one-particle densities.
namespace cisolve::ci {

/// <x| O |x> of each component: constant + sum_pq o_pq <x| a+_p a_q |x> over both spins.
std::vector<double> expectation_values(const OneElectronOperator& operation,
                                       const OneParticleDensity& density);

/// <bra| O |ket> of two orthogonal states, from gamma_pq = <bra| a+_p a_q |ket>. The sign is that
/// of the vectors: it changes with the sign of either. Exchanging the states leaves it for a
/// symmetric operator and changes it for an antisymmetric one.
std::vector<double> transition_moments(const OneElectronOperator& operation,
                                       const OneParticleDensity& density);

/// f = 2/3 dE |d|^2, of an excitation energy in Hartree and a transition dipole in e a0; negative
/// if the energy falls.
double length_strength(double excitation, std::span<const double> dipole);

/// f = 2/(3 dE) |<bra| d/dr |ket>|^2; none without excitation.
std::optional<double> velocity_strength(double excitation, std::span<const double> velocity);

}  // namespace cisolve::ci

#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/host_device.hpp"
#include "ci/fock/models/terms.hpp"

namespace cisolve::ci {

inline constexpr int kMostSpins = 64;

/// A product state in the S^z basis: bit i is set if place i is up. Spins on n sites have n places.
/// Electrons on n sites are 2 n spins (Jordan-Wigner): place a is occupied by a spin-up electron on
/// site a, place n + a by a spin-down one.
using BasisState = std::uint64_t;

inline BasisState all_up(int places) { return ~BasisState{0} >> (kMostSpins - places); }

/// Population count in arithmetic that host and device share; compilers recognise it.
CISOLVE_HOST_DEVICE inline int count_bits(BasisState word) {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<int>(word * 0x0101010101010101 >> 56);
}

CISOLVE_HOST_DEVICE inline bool is_odd(BasisState word) { return (count_bits(word) & 1) != 0; }

/// The mask with bit i moved to bit to[i].
BasisState moved_places(BasisState mask, std::span<const int> to);

/// A Hamiltonian of spins 1/2 or of electrons as a sum of bit operations on words.
struct SiteModel {
  /// Flips the bits of `mask`: with value `opposite` if the masked bits equal `from` or its
  /// complement, `parallel` if they are all equal, else 0. The sign is (-1)^popcount(word &
  /// string), the Jordan-Wigner string.
  struct FlipTerm {
    BasisState mask;
    BasisState from;
    BasisState string;
    double opposite;
    double parallel;

    CISOLVE_HOST_DEVICE bool acts_on(BasisState word) const { return size(word) != 0; }
    CISOLVE_HOST_DEVICE double value(BasisState word) const {
      return is_odd(word & string) ? -size(word) : size(word);
    }

   private:
    CISOLVE_HOST_DEVICE double size(BasisState word) const {
      const BasisState up = word & mask;
      if (up == from || up == (mask ^ from)) return opposite;
      return up == 0 || up == mask ? parallel : 0;
    }
  };
  /// value * (-1)^popcount(word & mask): a product of Pauli Z operators.
  struct PauliZTerm {
    BasisState mask;
    double value;
  };

  int sites = 0;
  bool holds_electrons = false;
  std::vector<FlipTerm> moves;  // unique masks, ascending, none with value 0
  std::vector<PauliZTerm> energies;

  int places() const { return holds_electrons ? 2 * sites : sites; }
  double energy(BasisState word) const {
    double sum = 0;
    for (const auto& [mask, value] : energies) sum += is_odd(word & mask) ? -value : value;
    return sum;
  }
  /// Sum of |coefficients| of all terms: a bound on every element, also if terms cancel.
  double scale() const;
  /// The permutation of places that maps site i to to[i].
  std::vector<int> moved(std::span<const int> to) const;
  /// The permutation of places that exchanges spin up and down.
  std::vector<int> exchanged() const;

  /// Whether S^z is conserved.
  bool keeps_projection() const;
  /// Whether flipping all spins (electrons: exchanging up and down) leaves the model invariant.
  bool keeps_flip() const;
  /// Whether the model is invariant under the permutation i -> to[i].
  bool keeps(std::span<const int> to) const;
  /// Whether S^2 is conserved: all couplings isotropic and no field.
  bool keeps_spin() const;
};

/// Spins on sites. Throws ErrorKind::configuration for too many sites or terms that spins do not
/// have.
SiteModel spin_model(int sites, std::span<const Term> terms);

/// Electrons on sites; coupled spins may share sites. Throws ErrorKind::configuration for too many
/// sites or terms that electrons do not have.
SiteModel electron_model(int sites, std::span<const Term> terms);

}  // namespace cisolve::ci

#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/host_device.hpp"
#include "ci/models/terms.hpp"

namespace cisolve::ci {

inline constexpr int kMostSpins = 64;

/// Which spins are up: bit i is place i. Spins on sites have a place each. Electrons on n sites are
/// 2 n spins (Jordan and Wigner): place a is up where one with spin up is on site a, place n + a
/// where one with spin down is.
using SpinWord = std::uint64_t;

inline SpinWord all_up(int places) { return ~SpinWord{0} >> (kMostSpins - places); }

/// Bits that are set, by arithmetic that host and device share; compilers know it.
CISOLVE_HOST_DEVICE inline int count_bits(SpinWord word) {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<int>(word * 0x0101010101010101 >> 56);
}

CISOLVE_HOST_DEVICE inline bool is_odd(SpinWord word) { return (count_bits(word) & 1) != 0; }

/// The places of a mask, each place i where to[i] is.
SpinWord moved_places(SpinWord mask, std::span<const int> to);

/// Spins 1/2, or electrons as such, as what the terms of a model do to a word.
struct SpinModel {
  /// Turns over the spins of its mask: with one value where they are as in `from`, or all the other
  /// way round, and with another where all are alike. Electrons change sign for each one of the
  /// string that they pass.
  struct Move {
    SpinWord mask;
    SpinWord from;
    SpinWord string;
    double opposite;
    double parallel;

    CISOLVE_HOST_DEVICE bool acts_on(SpinWord word) const { return size(word) != 0; }
    CISOLVE_HOST_DEVICE double value(SpinWord word) const {
      return is_odd(word & string) ? -size(word) : size(word);
    }

   private:
    CISOLVE_HOST_DEVICE double size(SpinWord word) const {
      const SpinWord up = word & mask;
      if (up == from || up == (mask ^ from)) return opposite;
      return up == 0 || up == mask ? parallel : 0;
    }
  };
  /// Adds `value` where an even number of the spins of its mask is up, else subtracts it.
  struct Energy {
    SpinWord mask;
    double value;
  };

  int sites = 0;
  bool of_electrons = false;
  std::vector<Move> moves;  // each mask once, ascending, none without a value
  std::vector<Energy> energies;

  int places() const { return of_electrons ? 2 * sites : sites; }
  double energy(SpinWord word) const {
    double sum = 0;
    for (const auto& [mask, value] : energies) sum += is_odd(word & mask) ? -value : value;
    return sum;
  }
  /// The sizes of all terms together: no element is a sum of more, though terms may cancel.
  double scale() const;
  /// Where each place goes when site i goes to to[i].
  std::vector<int> moved(std::span<const int> to) const;
  /// Where electrons go when up and down are exchanged.
  std::vector<int> exchanged() const;

  /// Whether as many spins stay up.
  bool keeps_projection() const;
  /// Whether it is the same with all spins turned over.
  bool keeps_flip() const;
  /// Whether it is the same with place i where to[i] is.
  bool keeps(std::span<const int> to) const;
  /// Whether the total spin is kept: all couplings are alike in x, y and z, and there is no field.
  bool keeps_spin() const;
};

/// Of spins on sites. Throws Fault::configuration for too many sites, and for a term that they do
/// not have.
SpinModel spin_model(int sites, std::span<const Term> terms);

/// Of electrons, likewise. Those whose spins are coupled may share sites.
SpinModel electron_model(int sites, std::span<const Term> terms);

}  // namespace cisolve::ci

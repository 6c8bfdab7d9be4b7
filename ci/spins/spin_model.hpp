#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/host_device.hpp"
#include "ci/models/terms.hpp"

namespace cisolve::ci {

inline constexpr int kMostSpins = 64;

/// Which spins are up: bit i is site i.
using SpinWord = std::uint64_t;

inline SpinWord all_up(int sites) { return ~SpinWord{0} >> (kMostSpins - sites); }

/// The sites of a mask, each site i where to[i] is.
SpinWord moved_sites(SpinWord mask, std::span<const int> to);

/// Spins 1/2 on sites, as what the terms of a model do to a word.
struct SpinModel {
  /// Turns over the one or two spins of its mask; of two, with one value where they are opposite
  /// and another where they are parallel.
  struct Move {
    SpinWord mask;
    double opposite;
    double parallel;
    CISOLVE_HOST_DEVICE double value(SpinWord word) const {
      const SpinWord up = word & mask;
      return up == 0 || up == mask ? parallel : opposite;
    }
  };
  /// Adds `value` where an even number of the spins of its mask is up, else subtracts it.
  struct Energy {
    SpinWord mask;
    double value;
  };

  int sites = 0;
  std::vector<Move> moves;  // each mask once, ascending, none without a value
  std::vector<Energy> energies;

  double energy(SpinWord word) const {
    double sum = 0;
    for (const auto& [mask, value] : energies)
      sum += std::popcount(word & mask) % 2 == 0 ? value : -value;
    return sum;
  }
  /// Whether as many spins stay up.
  bool keeps_projection() const;
  /// Whether it is the same with all spins turned over.
  bool keeps_flip() const;
  /// Whether it is the same with site i where to[i] is.
  bool keeps(std::span<const int> to) const;
  /// Whether the total spin is kept: all couplings are alike in x, y and z, and there is no field.
  bool keeps_spin() const;
};

/// Throws Fault::configuration for too many sites, and for a term that spins do not have.
SpinModel spin_model(int sites, std::span<const Term> terms);

}  // namespace cisolve::ci

#pragma once

#include <map>

#include "ci/lattice/words/spin_model.hpp"

namespace cisolve::ci {

/// Accumulates the terms of a model; terms of equal masks are added up.
class GatheredModel {
 public:
  /// Adds a flip of places a and b (a == b: of one): value `opposite` if they are antiparallel,
  /// `parallel` if they are parallel.
  void turn(int a, int b, double opposite, double parallel);
  /// Adds to the flip of `mask`, for words whose masked places equal `from` or its complement in
  /// the mask.
  void turn(SpinWord mask, SpinWord from, SpinWord string, double value);
  void energy(SpinWord mask, double value) { energies_[mask] += value; }

  /// Throws Fault::configuration if a sum is not finite.
  SpinModel take(int sites, bool of_electrons) const;

 private:
  std::map<SpinWord, SpinModel::Move> moves_;
  std::map<SpinWord, double> energies_;
};

}  // namespace cisolve::ci

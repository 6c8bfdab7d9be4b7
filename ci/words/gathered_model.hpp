#pragma once

#include <map>

#include "ci/words/spin_model.hpp"

namespace cisolve::ci {

/// Gathers a model from terms, those of equal masks as one.
class GatheredModel {
 public:
  /// Adds to the move that turns over the two places, or the one that both are: a value where they
  /// are opposite, and one where they are parallel.
  void turn(int a, int b, double opposite, double parallel);
  /// To the move of a mask whose places are as in `from` or all the other way round.
  void turn(SpinWord mask, SpinWord from, SpinWord string, double value);
  void energy(SpinWord mask, double value) { energies_[mask] += value; }

  /// Throws Fault::configuration for values that are infinite together.
  SpinModel take(int sites, bool of_electrons) const;

 private:
  std::map<SpinWord, SpinModel::Move> moves_;
  std::map<SpinWord, double> energies_;
};

}  // namespace cisolve::ci

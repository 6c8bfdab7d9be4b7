#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "ci/selected/extrapolation.hpp"
#include "ci/selected/perturbation.hpp"

namespace cisolve::job {

using base::Index;

/// A selected space at one step of its schedule, with its lowest states. Energies in Hartree.
struct SelectionRound {
  double epsilon = 0;  // of heat-bath selection; 0 if a size is requested
  Index determinants = 0;
  std::vector<double> energies = {};                     // variational, of each state
  std::vector<ci::StatePerturbation> perturbation = {};  // likewise; empty: not computed
  double seconds = 0;                                    // to grow, solve and perturb it
};

/// Outcome of a selected space: how it grew, and the perturbation of the states that were verified.
struct Selection {
  std::vector<SelectionRound> rounds = {};               // the last one is the space of the states
  std::string end = {};                                  // why growth stopped, for users
  std::string note = {};                                 // on states that it cannot contain
  double perturbation_epsilon = 0;                       // terms |H_ai c_i| below are left out
  std::vector<ci::StatePerturbation> perturbation = {};  // of the states; empty: not computed
  Index external = 0;                                    // determinants outside that it sums over
  std::vector<ci::Extrapolation> extrapolated = {};      // of the states; empty: not asked for
  /// The sample of external determinants whose couplings were recomputed by the oracle.
  Index sampled = 0;
  double sample_difference = 0;  // the largest, relative to the sum of absolute terms
  bool sample_passed = true;
};

}  // namespace cisolve::job

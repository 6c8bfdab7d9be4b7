#pragma once

#include "app/config/configuration.hpp"

namespace cisolve::app {

/// Condition under which a key has an effect.
struct Condition {
  const char* when;  // "with space.kind ci or mrci"
  bool (*holds)(const Configuration& configuration);
};

/// The conditions that rows of the schema name.
namespace conditions {

extern const Condition kOfMatrix;
extern const Condition kLikeCi;
extern const Condition kOfDiagonals;
extern const Condition kOnShape;
extern const Condition kCubic;
extern const Condition kHopping;
extern const Condition kHubbard;
extern const Condition kCoupled;
extern const Condition kHeisenberg;
extern const Condition kOfFcidump;
extern const Condition kOfTrexio;
extern const Condition kIntegrals;
extern const Condition kElectrons;
extern const Condition kWithoutSpaceElectrons;
extern const Condition kDescribed;
extern const Condition kOrbsym;
extern const Condition kSpaceOfDeterminants;
extern const Condition kLattice;
extern const Condition kLevel;
extern const Condition kOneReference;
extern const Condition kReferences;
extern const Condition kRas;
extern const Condition kSelected;
extern const Condition kPerturbed;
extern const Condition kRas1;
extern const Condition kRas3;
extern const Condition kIncomplete;
extern const Condition kStatesOrSpins;
extern const Condition kStored;
extern const Condition kBoundary;
extern const Condition kPolicy;
extern const Condition kSliceHeight;
extern const Condition kBlockSize;
extern const Condition kMixed;
extern const Condition kStates;
extern const Condition kSeveralStates;
extern const Condition kInHartree;
extern const Condition kIterative;
extern const Condition kSearchSpace;
extern const Condition kDevice;
extern const Condition kNotFollowed;
extern const Condition kFollowed;
extern const Condition kDeterminants;
extern const Condition kCube;
extern const Condition kModelSpace;
extern const Condition kThreads;
extern const Condition kSwept;

// Reasons why a key never counts in a sweep.
inline constexpr const char* kSingleJob = "in a single job, not in a sweep";
inline constexpr const char* kRepeatOfJob = "in a single job; in a sweep set sweep.repeat";
inline constexpr const char* kNoCheckpoints = "in a single job; a sweep saves each measured point";

}  // namespace conditions
}  // namespace cisolve::app

#pragma once

#include <algorithm>
#include <map>
#include <string>

namespace cisolve::job {

/// Measured time of the steps of a plan, divided by the prediction of the built-in constants: 1 is
/// as predicted, 2 twice as long.
struct MachineFactors {
  double stored = 1;  // products of elements that are stored
  double coded = 1;   // of coded ones
  double blocks = 1;  // of elements that are computed by blocks
  double rows = 1;    // of those that are computed row by row
  double making = 1;  // to store elements
  bool is_measured = false;

  friend bool operator==(const MachineFactors&, const MachineFactors&) = default;
};

/// Range of accepted factors.
inline constexpr double kLeastPace = 1.0 / 64;
inline constexpr double kMostPace = 64;
constexpr bool is_possible_pace(double pace) { return pace >= kLeastPace && pace <= kMostPace; }
constexpr double possible_pace(double pace) { return std::clamp(pace, kLeastPace, kMostPace); }

/// Factors by device name; kHostName stands for the host. The built-in constants hold for a device
/// without an entry.
using MachineFactorsByName = std::map<std::string, MachineFactors>;
inline constexpr const char* kHostName = "host";

}  // namespace cisolve::job

#pragma once

#include <algorithm>
#include <map>
#include <string>

namespace cisolve::job {

/// Measured time of the steps of a plan, divided by the prediction of the built-in constants: 1 is
/// as predicted, 2 twice as long.
struct MachineFactors {
  double stored = 1;  // products with stored elements
  double coded = 1;   // products with stored coded elements
  double blocks = 1;  // products with elements computed by blocks
  double rows = 1;    // products with elements computed row by row
  double making = 1;  // setup: computing and storing elements
  bool is_measured = false;

  friend bool operator==(const MachineFactors&, const MachineFactors&) = default;
};

/// Range of accepted factors.
inline constexpr double kSmallestFactor = 1.0 / 64;
inline constexpr double kLargestFactor = 64;
constexpr bool is_possible_factor(double factor) {
  return factor >= kSmallestFactor && factor <= kLargestFactor;
}
constexpr double clamped_factor(double factor) {
  return std::clamp(factor, kSmallestFactor, kLargestFactor);
}

/// Factors by device name; kHostName stands for the host. The built-in constants hold for a device
/// without an entry.
using MachineFactorsByName = std::map<std::string, MachineFactors>;
inline constexpr const char* kHostName = "host";

}  // namespace cisolve::job

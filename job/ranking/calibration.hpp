#pragma once

#include "base/backend.hpp"
#include "job/request/machine_factors.hpp"

namespace cisolve::job {

/// Size of a synthetic full CI: orbitals, and electrons of either spin.
struct CalibrationSize {
  int orbitals;
  int electrons;

  /// Enough work to keep a backend busy for some milliseconds.
  static CalibrationSize of(const base::Backend& backend);
};

/// Measures the speed of a backend relative to the built-in constants, in a few seconds on a
/// synthetic full CI. Steps for which memory is short keep the constants.
MachineFactors calibrate(const base::Backend& backend, CalibrationSize size);
inline MachineFactors calibrate(const base::Backend& backend) {
  return calibrate(backend, CalibrationSize::of(backend));
}

}  // namespace cisolve::job

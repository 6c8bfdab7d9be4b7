#pragma once

#include "base/backend.hpp"
#include "job/request/machine_factors.hpp"

namespace cisolve::job {

/// Of the full CI that is made up: so many orbitals, and electrons of either spin.
struct CalibrationSize {
  int orbitals;
  int electrons;

  /// Enough work to keep a backend busy for some milliseconds.
  static CalibrationSize of(const base::Backend& backend);
};

/// How quick a backend is at what a plan may do, in terms of what is built in: measured in a few
/// seconds with a full CI that is made up for it. What there is no room to measure is as built in.
MachineFactors calibrate(const base::Backend& backend, CalibrationSize size);
inline MachineFactors calibrate(const base::Backend& backend) {
  return calibrate(backend, CalibrationSize::of(backend));
}

}  // namespace cisolve::job

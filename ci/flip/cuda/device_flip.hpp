#pragma once

#include <vector>

#include "ci/flip/spin_flip.hpp"

namespace cisolve::ci::cuda {

/// The exchange of spins in whole vectors on a device.
class FlipOnDevice {
 public:
  static constexpr int kMostAtOnce = 16;

  FlipOnDevice(const SpinFlip& flip, const base::Backend& device);

  /// Of at most kMostAtOnce vectors; waits for them. Where the work is that of so many parts, what
  /// one of these adds.
  std::vector<ParityNorms> norms_of(base::ConstBlock x, int part = 0, int parts = 1) const;
  /// y = factor (y + y flipped), or factor (y - y flipped).
  void add_flipped_to(double* y, Parity parity, double factor) const;

  SpinFlipView view() const { return flip_.view(); }
  Index bytes() const { return flip_.bytes() + partial_.bytes(); }

 private:
  base::Backend device_;
  SpinFlip flip_;
  Index blocks_;  // of threads
  mutable base::Array<ParityNorms> partial_;
};

}  // namespace cisolve::ci::cuda

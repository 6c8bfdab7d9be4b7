#pragma once

#include <vector>

#include "ci/hamiltonian/parity/spin_flip.hpp"

namespace cisolve::ci::cuda {

/// P x of whole vectors on a device.
class FlipOnDevice {
 public:
  static constexpr int kMostAtOnce = 16;

  FlipOnDevice(const SpinFlip& flip, const base::Backend& device);

  /// At most kMostAtOnce vectors; synchronises. With parts > 1, the contribution of one part of the
  /// work.
  std::vector<ParityNorms> norms_of(base::ConstBlock x, int part = 0, int parts = 1) const;
  /// y = factor (y +- P y).
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

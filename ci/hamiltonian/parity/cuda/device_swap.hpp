#pragma once

#include <vector>

#include "ci/hamiltonian/parity/alpha_beta_swap.hpp"

namespace cisolve::ci::cuda {

/// P x of whole vectors on a device.
class SwapOnDevice {
 public:
  static constexpr int kMostAtOnce = 16;

  SwapOnDevice(const AlphaBetaSwap& swap, const base::Backend& device);

  /// Norms of at most kMostAtOnce vectors; synchronises. If parts > 1, returns the contribution of
  /// one part of the work.
  std::vector<ParityNorms> norms_of(base::ConstBlock x, int part = 0, int parts = 1) const;
  /// y = factor (y +- P y).
  void add_swapped_to(double* y, Parity parity, double factor) const;

  AlphaBetaSwapView view() const { return swap_.view(); }
  Index bytes() const { return swap_.bytes() + partial_.bytes(); }

 private:
  base::Backend device_;
  AlphaBetaSwap swap_;
  Index blocks_;  // number of thread blocks
  mutable base::Array<ParityNorms> partial_;
};

}  // namespace cisolve::ci::cuda

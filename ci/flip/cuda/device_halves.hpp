#pragma once

#include "ci/flip/one_parity.hpp"

namespace cisolve::ci::cuda {

/// Whole vectors of halves and back, on a device.
class HalvesOnDevice final : public HalvesMaker {
 public:
  /// `flip` is that of the halves, on the device.
  HalvesOnDevice(const Halves& halves, const SpinFlipView& flip, const base::Backend& device);

  void expand(const double* half, double* whole) const override;
  void add(const double* half, double* whole) const override;
  void fold(double factor, const double* whole, double* half) const override;
  void fold_diagonal(const double* whole, double* half) const override;

 private:
  HalvesView view() const { return {flip_, first_.data(), is_even_}; }

  base::Backend device_;
  SpinFlipView flip_;
  base::Array<Index> first_;
  bool is_even_;
};

}  // namespace cisolve::ci::cuda

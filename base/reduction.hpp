#pragma once

#include <span>

namespace cisolve::base {

/// "Sum this small host block over all ranks." Every inner product of a solver goes through it, so
/// the loop of one process is also the loop of many.
class Reduction {
 public:
  Reduction() = default;
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;
  virtual ~Reduction() = default;

  virtual void sum(std::span<double> values) const = 0;
};

/// One process: its sums are the sums.
class SerialReduction final : public Reduction {
 public:
  void sum(std::span<double> /*values*/) const override {}
};

}  // namespace cisolve::base

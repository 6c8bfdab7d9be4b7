#include <algorithm>
#include <iterator>
#include <optional>

#include "ci/factorised/cuda/device_factors.hpp"
#include "ci/flip/cuda/device_flip.hpp"

namespace cisolve::ci::cuda {
namespace {

class FactorsOnDevice final : public base::LinearOperator {
 public:
  FactorsOnDevice(const Factors& factors, const base::Backend& device)
      : rows_(factors.rows), factors_(factors, all_places(factors.couplings), device) {
    if (factors.flip) flip_.emplace(*factors.flip, device);
  }

  Index rows() const override { return rows_; }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; j += FlipOnDevice::kMostAtOnce) {
      const int now = std::min(FlipOnDevice::kMostAtOnce, x.columns - j);
      if (flip_)
        multiply_by_parity(x.slice(j, now), y.slice(j, now));
      else
        factors_.multiply(x.slice(j, now), y.slice(j, now));
    }
  }

  double purify(double share, base::Block x) const override {
    if (!flip_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; j += FlipOnDevice::kMostAtOnce)
      std::ranges::copy(
          flip_->norms_of(x.slice(j, std::min(FlipOnDevice::kMostAtOnce, x.columns - j))),
          std::back_inserter(norms));
    return ci::purify(norms, share, [&](int j, Parity parity) {
      flip_->add_flipped_to(x.column(j), parity, 0.5);
    });
  }

  bool diagonal(base::Block d) const override {
    factors_.diagonal(d);
    return true;
  }

  base::OperatorDescription description() const override {
    return {"factorised", factors_.bytes() + (flip_ ? flip_->bytes() : 0), 0, 0};
  }

 private:
  void multiply_by_parity(base::ConstBlock x, base::Block y) const {
    const std::vector<ParityNorms> norms = flip_->norms_of(x);
    for (int j = 0; j < x.columns; ++j) {
      const Parity parity = norms[j].parity();
      if (parity == Parity::mixed) {
        factors_.multiply(x.slice(j, 1), y.slice(j, 1));
        continue;
      }
      factors_.multiply_half(x.slice(j, 1), y.slice(j, 1));
      flip_->add_flipped_to(y.column(j), parity, 1);
    }
  }

  Index rows_;
  DeviceFactors factors_;
  std::optional<FlipOnDevice> flip_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> factors(const Factors& factors, const base::Backend& device) {
  return std::make_unique<FactorsOnDevice>(factors, device);
}

}  // namespace cisolve::ci::cuda

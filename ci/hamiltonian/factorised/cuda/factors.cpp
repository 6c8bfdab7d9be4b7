#include <algorithm>
#include <iterator>
#include <optional>

#include "ci/hamiltonian/factorised/cuda/device_factors.hpp"
#include "ci/hamiltonian/parity/cuda/device_flip.hpp"
#include "ci/hamiltonian/parity/cuda/device_halves.hpp"
#include "ci/hamiltonian/parity/one_parity.hpp"

namespace cisolve::ci::cuda {
namespace {

class FactorsOnDevice final : public FlipProduct {
 public:
  FactorsOnDevice(Factors factors, const base::Backend& device)
      : device_(device),
        rows_(factors.rows),
        factors_(factors, all_places(factors.couplings), {}, device),
        flip_at_home_(std::move(factors.flip)) {
    if (!flip_at_home_) return;
    flip_.emplace(*flip_at_home_, device);
    shares_.emplace(*flip_at_home_);
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

  const SpinFlip* flip() const override { return flip_at_home_ ? &*flip_at_home_ : nullptr; }
  const base::Backend& backend() const override { return device_; }

  const FlipShares& shares() const override { return *shares_; }

  void multiply(base::ConstBlock x, base::Block y) const override { factors_.multiply(x, y); }
  void multiply_half(base::ConstBlock x, base::Block y) const override {
    factors_.multiply_half(x, y);
  }

  std::unique_ptr<HalvesMaker> halves_maker(const Halves& halves) const override {
    return std::make_unique<HalvesOnDevice>(halves, flip_->view(), *shares_, nullptr, device_);
  }
  const double* bring_flips(const double* /*image*/, double* /*room*/) const override {
    return nullptr;
  }
  ParityNorms parity_norms(const double* x) const override {
    return flip_->norms_of({x, rows_, 1, rows_}).front();
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

  base::Backend device_;
  Index rows_;
  DeviceFactors factors_;
  std::optional<SpinFlip> flip_at_home_;
  std::optional<FlipShares> shares_;
  std::optional<FlipOnDevice> flip_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> factors(Factors factors, const base::Backend& device) {
  return std::make_unique<FactorsOnDevice>(std::move(factors), device);
}

}  // namespace cisolve::ci::cuda

#include <algorithm>
#include <iterator>
#include <optional>

#include "ci/hamiltonian/factorised/cuda/device_product.hpp"
#include "ci/hamiltonian/parity/cuda/device_parity_transform.hpp"
#include "ci/hamiltonian/parity/cuda/device_swap.hpp"
#include "ci/hamiltonian/parity/parity_operators.hpp"

namespace cisolve::ci::cuda {
namespace {

class FactorisedOnDevice final : public ParityOperator {
 public:
  FactorisedOnDevice(FactorisedParts factors, const base::Backend& device)
      : device_(device),
        rows_(factors.rows),
        product_(factors, all_places(factors.opposite_spin), {}, device),
        host_swap_(std::move(factors.swap)) {
    if (!host_swap_) return;
    swap_.emplace(*host_swap_, device);
    partition_.emplace(*host_swap_);
  }

  Index rows() const override { return rows_; }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; j += SwapOnDevice::kMostAtOnce) {
      const int now = std::min(SwapOnDevice::kMostAtOnce, x.columns - j);
      if (swap_)
        multiply_by_parity(x.slice(j, now), y.slice(j, now));
      else
        product_.multiply(x.slice(j, now), y.slice(j, now));
    }
  }

  const AlphaBetaSwap* alpha_beta_swap() const override {
    return host_swap_ ? &*host_swap_ : nullptr;
  }
  const base::Backend& backend() const override { return device_; }

  const SwapPartition& partition() const override { return *partition_; }

  void multiply(base::ConstBlock x, base::Block y) const override { product_.multiply(x, y); }
  void multiply_half(base::ConstBlock x, base::Block y) const override {
    product_.multiply_half(x, y);
  }

  std::unique_ptr<ParityTransform> parity_transform(const ParityBasis& basis) const override {
    return std::make_unique<ParityTransformOnDevice>(basis, swap_->view(), *partition_, nullptr,
                                                     device_);
  }
  const double* fetch_swapped(const double* /*image*/, double* /*workspace*/) const override {
    return nullptr;
  }
  ParityNorms parity_norms(const double* x) const override {
    return swap_->norms_of({x, rows_, 1, rows_}).front();
  }

  double project_symmetry(double max_fraction, base::Block x) const override {
    if (!swap_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; j += SwapOnDevice::kMostAtOnce)
      std::ranges::copy(
          swap_->norms_of(x.slice(j, std::min(SwapOnDevice::kMostAtOnce, x.columns - j))),
          std::back_inserter(norms));
    return remove_minor_parity(norms, max_fraction, [&](int j, Parity parity) {
      swap_->add_swapped_to(x.column(j), parity, 0.5);
    });
  }

  bool diagonal(base::Block d) const override {
    product_.diagonal(d);
    return true;
  }

  base::OperatorDescription description() const override {
    return {"factorised", product_.bytes() + (swap_ ? swap_->bytes() : 0), 0, 0};
  }

 private:
  void multiply_by_parity(base::ConstBlock x, base::Block y) const {
    const std::vector<ParityNorms> norms = swap_->norms_of(x);
    for (int j = 0; j < x.columns; ++j) {
      const Parity parity = norms[j].parity();
      if (parity == Parity::mixed) {
        product_.multiply(x.slice(j, 1), y.slice(j, 1));
        continue;
      }
      product_.multiply_half(x.slice(j, 1), y.slice(j, 1));
      swap_->add_swapped_to(y.column(j), parity, 1);
    }
  }

  base::Backend device_;
  Index rows_;
  DeviceFactorisedProduct product_;
  std::optional<AlphaBetaSwap> host_swap_;
  std::optional<SwapPartition> partition_;
  std::optional<SwapOnDevice> swap_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> factorised_on_device(FactorisedParts factors,
                                                           const base::Backend& device) {
  return std::make_unique<FactorisedOnDevice>(std::move(factors), device);
}

}  // namespace cisolve::ci::cuda

#include "ci/hamiltonian/factorised/factories.hpp"
#include "ci/hamiltonian/factorised/host_product.hpp"
#include "ci/hamiltonian/parity/parity_operators.hpp"

namespace cisolve::ci {
namespace {

class FactorisedOnHost final : public ParityOperator {
 public:
  FactorisedOnHost(FactorisedParts factors, std::vector<Index> places, const base::Backend& host)
      : host_(host),
        rows_(factors.rows),
        swap_(std::move(factors.swap)),
        product_(std::move(factors.blocks), std::move(factors.opposite_spin), std::move(places),
                 host) {
    if (swap_) partition_.emplace(*swap_);
  }

  Index rows() const override { return rows_; }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) {
      const Parity parity = swap_ ? swap_->norms_of(x.column(j), host_).parity() : Parity::mixed;
      if (parity == Parity::mixed) {
        product_.multiply(x.column(j), y.column(j));
      } else {
        product_.multiply_half(x.column(j), y.column(j));
        swap_->add_swapped(parity, 1, y.column(j), host_);
      }
    }
  }

  const AlphaBetaSwap* alpha_beta_swap() const override { return swap_ ? &*swap_ : nullptr; }
  const base::Backend& backend() const override { return host_; }

  const SwapPartition& partition() const override { return *partition_; }

  void multiply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) product_.multiply(x.column(j), y.column(j));
  }
  void multiply_half(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) product_.multiply_half(x.column(j), y.column(j));
  }

  std::unique_ptr<ParityTransform> parity_transform(const ParityBasis& basis) const override {
    return parity_transform_on_host(basis, *partition_, nullptr, host_);
  }
  const double* fetch_swapped(const double* /*image*/, double* /*workspace*/) const override {
    return nullptr;
  }
  ParityNorms parity_norms(const double* x) const override { return swap_->norms_of(x, host_); }

  double project_symmetry(double max_fraction, base::Block x) const override {
    if (!swap_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; ++j) norms.push_back(swap_->norms_of(x.column(j), host_));
    return remove_minor_parity(norms, max_fraction, [&](int j, Parity parity) {
      swap_->add_swapped(parity, 0.5, x.column(j), host_);
    });
  }

  bool diagonal(base::Block d) const override {
    product_.diagonal(d.column(0));
    return true;
  }

  base::OperatorDescription description() const override {
    return {"factorised", product_.bytes() + (swap_ ? swap_->bytes() : 0), 0, 0};
  }

 private:
  base::Backend host_;
  Index rows_;
  std::optional<AlphaBetaSwap> swap_;
  std::optional<SwapPartition> partition_;
  HostFactorisedProduct product_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> factorised_on_host(FactorisedParts factors,
                                                         const base::Backend& host) {
  std::vector<Index> places = all_places(factors.opposite_spin);
  return std::make_unique<FactorisedOnHost>(std::move(factors), std::move(places), host);
}

}  // namespace cisolve::ci

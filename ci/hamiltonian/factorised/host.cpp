#include "ci/hamiltonian/factorised/host_factors.hpp"
#include "ci/hamiltonian/factorised/ways.hpp"
#include "ci/hamiltonian/parity/one_parity.hpp"

namespace cisolve::ci {
namespace {

class FactorsOnHost final : public FlipProduct {
 public:
  FactorsOnHost(Factors factors, std::vector<Index> places, const base::Backend& host)
      : host_(host),
        rows_(factors.rows),
        flip_(std::move(factors.flip)),
        factors_(std::move(factors.blocks), std::move(factors.couplings), std::move(places), host) {
    if (flip_) shares_.emplace(*flip_);
  }

  Index rows() const override { return rows_; }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) {
      const Parity parity = flip_ ? flip_->norms_of(x.column(j), host_).parity() : Parity::mixed;
      if (parity == Parity::mixed) {
        factors_.multiply(x.column(j), y.column(j));
      } else {
        factors_.multiply_half(x.column(j), y.column(j));
        flip_->add_flipped(parity, 1, y.column(j), host_);
      }
    }
  }

  const SpinFlip* flip() const override { return flip_ ? &*flip_ : nullptr; }
  const base::Backend& backend() const override { return host_; }

  const FlipShares& shares() const override { return *shares_; }

  void multiply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) factors_.multiply(x.column(j), y.column(j));
  }
  void multiply_half(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) factors_.multiply_half(x.column(j), y.column(j));
  }

  std::unique_ptr<HalvesMaker> halves_maker(const Halves& halves) const override {
    return halves_on_host(halves, *shares_, nullptr, host_);
  }
  const double* bring_flips(const double* /*image*/, double* /*room*/) const override {
    return nullptr;
  }
  ParityNorms parity_norms(const double* x) const override { return flip_->norms_of(x, host_); }

  double purify(double share, base::Block x) const override {
    if (!flip_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; ++j) norms.push_back(flip_->norms_of(x.column(j), host_));
    return ci::purify(norms, share, [&](int j, Parity parity) {
      flip_->add_flipped(parity, 0.5, x.column(j), host_);
    });
  }

  bool diagonal(base::Block d) const override {
    factors_.diagonal(d.column(0));
    return true;
  }

  base::OperatorDescription description() const override {
    return {"factorised", factors_.bytes() + (flip_ ? flip_->bytes() : 0), 0, 0};
  }

 private:
  base::Backend host_;
  Index rows_;
  std::optional<SpinFlip> flip_;
  std::optional<FlipShares> shares_;
  HostFactors factors_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> factors_on_host(Factors factors, const base::Backend& host) {
  std::vector<Index> places = all_places(factors.couplings);
  return std::make_unique<FactorsOnHost>(std::move(factors), std::move(places), host);
}

}  // namespace cisolve::ci

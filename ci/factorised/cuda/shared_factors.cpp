#include <algorithm>
#include <optional>

#include "ci/factorised/cuda/device_factors.hpp"
#include "ci/flip/cuda/device_flip.hpp"
#include "ci/flip/cuda/device_flip_exchange.hpp"

namespace cisolve::ci::cuda {
namespace {

/// Each rank has the rows of its alpha strings, whose products its device takes of whole vectors.
/// What belongs to their flips is exchanged in the memory where a whole vector stood.
class FactorsOnDevices final : public base::LinearOperator {
 public:
  FactorsOnDevices(const Factors& factors, const DealtStrings& strings,
                   const std::vector<Index>& places, const base::Communicator& ranks,
                   const base::Backend& device)
      : layout_(strings.layout()),
        vectors_(ranks, device),
        factors_(factors, places, device),
        whole_(device, std::max(factors.rows, 2 * rows()), "a vector of all ranks"),
        whole_rows_(factors.rows) {
    if (!factors.flip) return;
    flip_.emplace(*factors.flip, device);
    exchange_.emplace(vectors_, FlipWays(ranks, *factors.flip, strings, first_rows(factors)));
  }

  Index rows() const override { return layout_.count(vectors_.ranks().rank()); }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) {
      vectors_.everywhere(layout_, x.column(j), whole_.data());
      const base::ConstBlock whole{whole_.data(), whole_rows_, 1, whole_rows_};
      const Parity parity = flip_ ? parity_of(whole) : Parity::mixed;
      if (parity == Parity::mixed) {
        factors_.multiply(whole, y.slice(j, 1));
        continue;
      }
      factors_.multiply_half(whole, y.slice(j, 1));
      add_flipped(parity, 1, y.column(j));
    }
  }

  double purify(double share, base::Block x) const override {
    if (!flip_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; ++j) {
      exchange_->fetch(x.column(j), whole_.data());
      norms.push_back(exchange_->norms_of(x.column(j), whole_.data()));
    }
    return ci::purify(norms, share,
                      [&](int j, Parity parity) { add_flipped(parity, 0.5, x.column(j)); });
  }

  bool diagonal(base::Block d) const override {
    factors_.diagonal(d);
    return true;
  }

  base::OperatorDescription description() const override {
    const Index of_flips = flip_ ? flip_->bytes() + exchange_->bytes() : 0;
    return {"factorised", factors_.bytes() + whole_.bytes() + of_flips, 0, 0};
  }

 private:
  /// Each rank looks at its part of a vector that all have.
  Parity parity_of(base::ConstBlock whole) const {
    const base::Communicator& ranks = vectors_.ranks();
    const ParityNorms mine = flip_->norms_of(whole, ranks.rank(), ranks.size()).front();
    double norms[] = {mine.even, mine.odd};
    ranks.sum(norms);
    return ParityNorms{norms[0], norms[1]}.parity();
  }

  void add_flipped(Parity parity, double factor, double* y) const {
    exchange_->fetch(y, whole_.data());
    exchange_->add_flipped(parity, factor, y, whole_.data());
  }

  base::Layout layout_;
  base::VectorExchange vectors_;
  DeviceFactors factors_;
  mutable base::Array<double> whole_;  // or what is exchanged
  Index whole_rows_;
  std::optional<FlipOnDevice> flip_;
  std::optional<DeviceFlipExchange> exchange_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> shared_factors(const Factors& factors,
                                                     const DealtStrings& strings,
                                                     const std::vector<Index>& places,
                                                     const base::Communicator& ranks,
                                                     const base::Backend& device) {
  return std::make_unique<FactorsOnDevices>(factors, strings, places, ranks, device);
}

}  // namespace cisolve::ci::cuda

#include "base/ranks/whole_vectors.hpp"
#include "ci/factorised/host_factors.hpp"
#include "ci/factorised/ways.hpp"
#include "ci/flip/flip_exchange.hpp"

namespace cisolve::ci {
namespace {

/// What each alpha string has to do in a product, by half where there are vectors that need no
/// more: in multiplications.
std::vector<double> work_of_strings(const Factors& factors) {
  const Index alphas = factors.couplings.view().alphas;
  const bool by_half = factors.flip.has_value();
  std::vector<double> work(alphas);
  for (Index a = 0; a < alphas; ++a) work[a] = factors.couplings.work_of(a, by_half);
  for (const ProductBlock& block : factors.blocks)
    for (Index row = 0; row < block.alpha.rows(); ++row) {
      const Index of_alpha = block.alpha.offsets[row + 1] - block.alpha.offsets[row];
      const Index of_beta = by_half ? 0 : block.beta.offsets[block.beta.rows()];
      work[block.alphas[row]] += static_cast<double>(of_alpha * block.columns + of_beta);
    }
  return work;
}

std::vector<Index> places_on(const Factors& factors, const DealtStrings& strings, int rank) {
  std::vector<Index> places;
  for (Index a = 0; a < factors.couplings.view().alphas; ++a)
    places.push_back(strings.rank_of(a) == rank ? strings.place_of(a) : -1);
  return places;
}

std::optional<FlipExchange> flip_of(const Factors& factors, const base::Communicator& ranks,
                                    const DealtStrings& strings, const base::Backend& host) {
  if (!factors.flip) return {};
  return std::optional<FlipExchange>(std::in_place, ranks, *factors.flip, strings,
                                     first_rows(factors), host);
}

/// Each rank has the rows of its alpha strings, whose products it takes of whole vectors.
class FactorsOnRanks final : public base::LinearOperator {
 public:
  FactorsOnRanks(Factors factors, const DealtStrings& strings, std::vector<Index> places,
                 const base::Communicator& ranks, const base::Backend& host)
      : ranks_(ranks),
        layout_(strings.layout()),
        whole_(host, factors.rows, "a vector of all ranks"),
        flip_(flip_of(factors, ranks, strings, host)),
        factors_(std::move(factors.blocks), std::move(factors.couplings), std::move(places), host) {
  }

  Index rows() const override { return layout_.count(ranks_.rank()); }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) {
      const Parity parity = flip_ ? flip_->norms_of(x.column(j)).parity() : Parity::mixed;
      base::everywhere(ranks_, layout_, x.column(j), whole_.data());
      if (parity == Parity::mixed) {
        factors_.multiply(whole_.data(), y.column(j));
      } else {
        factors_.multiply_half(whole_.data(), y.column(j));
        flip_->add_flipped(parity, 1, y.column(j));
      }
    }
  }

  double purify(double share, base::Block x) const override {
    if (!flip_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; ++j) norms.push_back(flip_->norms_of(x.column(j)));
    return ci::purify(norms, share,
                      [&](int j, Parity parity) { flip_->add_flipped(parity, 0.5, x.column(j)); });
  }

  bool diagonal(base::Block d) const override {
    factors_.diagonal(d.column(0));
    return true;
  }

  base::OperatorDescription description() const override {
    return {"factorised", factors_.bytes() + whole_.bytes() + (flip_ ? flip_->bytes() : 0), 0, 0};
  }

 private:
  const base::Communicator& ranks_;
  base::Layout layout_;
  mutable base::Array<double> whole_;  // of a product
  std::optional<FlipExchange> flip_;
  HostFactors factors_;
};

}  // namespace

base::SharedOperator factors_on_ranks(Factors factors, const base::Communicator& ranks,
                                      const base::Backend& backend) {
  const DealtStrings strings(first_rows(factors), work_of_strings(factors), ranks.size());
  const base::Layout& layout = strings.layout();
  std::vector<Index> places = places_on(factors, strings, ranks.rank());
  if (!backend.is_host())
    return {cuda::shared_factors(factors, strings, places, ranks, backend), layout};
  return {std::make_unique<FactorsOnRanks>(std::move(factors), strings, std::move(places), ranks,
                                           backend),
          layout};
}

}  // namespace cisolve::ci

#include <algorithm>

#include "base/loops.hpp"
#include "ci/hamiltonian/factorised/factories.hpp"
#include "ci/hamiltonian/factorised/host_product.hpp"
#include "ci/hamiltonian/parity/parity_operators.hpp"
#include "ci/hamiltonian/parity/swap_exchange.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kSentGrain = 16;  // rows of alpha strings

/// Work of each alpha string in multiply-adds: in multiply_half() if there is a swap.
std::vector<double> work_of_strings(const FactorisedParts& factors) {
  const Index alphas = factors.opposite_spin.view().alphas;
  const bool by_half = factors.swap.has_value();
  std::vector<double> work(alphas);
  for (Index a = 0; a < alphas; ++a) work[a] = factors.opposite_spin.work_of(a, by_half);
  for (const SameSpinBlock& block : factors.blocks)
    for (Index row = 0; row < block.alpha.rows(); ++row) {
      const Index of_alpha = block.alpha.offsets[row + 1] - block.alpha.offsets[row];
      const Index of_beta = by_half ? 0 : block.beta.offsets[block.beta.rows()];
      work[block.alphas[row]] += static_cast<double>(of_alpha * block.columns + of_beta);
    }
  return work;
}

std::vector<Index> places_on(const FactorisedParts& factors, const StringPartition& strings,
                             int rank) {
  std::vector<Index> places;
  for (Index a = 0; a < factors.opposite_spin.view().alphas; ++a)
    places.push_back(strings.rank_of(a) == rank ? strings.place_of(a) : -1);
  return places;
}

/// Parity among ranks: exchange of P x for whole vectors, and of images for the parity basis.
class ParityOnRanks {
 public:
  ParityOnRanks(AlphaBetaSwap swap, std::span<const Index> first_row,
                const StringPartition& strings, const base::VectorExchange& vectors)
      : swap_(std::move(swap)),
        vectors_(vectors),
        exchange_(vectors.ranks(), swap_, strings, first_row, vectors.backend()),
        partition_(swap_, strings, first_row, vectors.ranks().rank()) {}
  ParityOnRanks(const ParityOnRanks&) = delete;
  ParityOnRanks& operator=(const ParityOnRanks&) = delete;
  ~ParityOnRanks() = default;

  const AlphaBetaSwap& alpha_beta_swap() const { return swap_; }
  const SwapExchange& exchange() const { return exchange_; }
  const SwapPartition& partition() const { return partition_; }

  std::unique_ptr<ParityTransform> parity_transform(const ParityBasis& basis) const {
    return parity_transform_on_host(basis, partition_, &vectors_, vectors_.backend());
  }

  const double* fetch_all(const double* image, double* workspace) const {
    base::for_each_chunk(std::ssize(partition_.sent()), kSentGrain, vectors_.backend(),
                         [&](Index first, Index last) {
                           for (const SwapPartition::SentElements& sent :
                                partition_.sent().subspan(first, last - first))
                             std::copy_n(image + sent.from, sent.count, workspace + sent.to);
                         });
    for (const SwapPartition::Phase& phase : partition_.phases())
      partition_.send_phase(vectors_, phase, workspace);
    return workspace + partition_.sent_numbers();
  }

  Index bytes() const { return swap_.bytes() + exchange_.bytes(); }

 private:
  AlphaBetaSwap swap_;
  const base::VectorExchange& vectors_;
  SwapExchange exchange_;
  SwapPartition partition_;
};

/// Each rank computes the rows of its alpha strings from a whole vector.
class FactorisedOnRanks final : public ParityOperator {
 public:
  FactorisedOnRanks(FactorisedParts factors, const StringPartition& strings,
                    std::vector<Index> places, const base::Communicator& ranks,
                    const base::Backend& host)
      : layout_(strings.layout()),
        vectors_(ranks, host),
        exchange_of_parity_(parity_exchange_of(factors, strings)),
        whole_(host, numbers(factors), "a vector of all ranks"),
        product_(std::move(factors.blocks), std::move(factors.opposite_spin), std::move(places),
                 host) {}

  Index rows() const override { return layout_.count(vectors_.ranks().rank()); }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) {
      const Parity parity =
          exchange_of_parity_ ? parity_norms(x.column(j)).parity() : Parity::mixed;
      vectors_.all_gather(layout_, x.column(j), whole_.data());
      if (parity == Parity::mixed) {
        product_.multiply(whole_.data(), y.column(j));
      } else {
        product_.multiply_half(whole_.data(), y.column(j));
        exchange_of_parity_->exchange().add_swapped(parity, 1, y.column(j), whole_.data());
      }
    }
  }

  double project_symmetry(double max_fraction, base::Block x) const override {
    if (!exchange_of_parity_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; ++j) norms.push_back(parity_norms(x.column(j)));
    return remove_minor_parity(norms, max_fraction, [&](int j, Parity parity) {
      exchange_of_parity_->exchange().add_swapped(parity, 0.5, x.column(j), whole_.data());
    });
  }

  const AlphaBetaSwap* alpha_beta_swap() const override {
    return exchange_of_parity_ ? &exchange_of_parity_->alpha_beta_swap() : nullptr;
  }
  const base::Backend& backend() const override { return vectors_.backend(); }
  const SwapPartition& partition() const override { return exchange_of_parity_->partition(); }
  void multiply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) product_.multiply(x.column(j), y.column(j));
  }
  void multiply_half(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) product_.multiply_half(x.column(j), y.column(j));
  }
  std::unique_ptr<ParityTransform> parity_transform(const ParityBasis& basis) const override {
    return exchange_of_parity_->parity_transform(basis);
  }
  const double* fetch_swapped(const double* image, double* workspace) const override {
    return exchange_of_parity_->fetch_all(image, workspace);
  }
  ParityNorms parity_norms(const double* x) const override {
    return exchange_of_parity_->exchange().norms_of(x, whole_.data());
  }
  double* whole_workspace() const override { return whole_.data(); }

  bool diagonal(base::Block d) const override {
    product_.diagonal(d.column(0));
    return true;
  }

  base::OperatorDescription description() const override {
    return {"factorised",
            product_.bytes() + whole_.bytes() +
                (exchange_of_parity_ ? exchange_of_parity_->bytes() : 0),
            0, 0};
  }

 private:
  std::unique_ptr<const ParityOnRanks> parity_exchange_of(FactorisedParts& factors,
                                                          const StringPartition& strings) const {
    if (!factors.swap) return nullptr;
    return std::make_unique<const ParityOnRanks>(*std::move(factors.swap), first_rows(factors),
                                                 strings, vectors_);
  }

  /// Elements of the workspace for a whole vector, which the exchange shares.
  Index numbers(const FactorisedParts& factors) const {
    if (!exchange_of_parity_) return factors.rows;
    return std::max(whole_buffer_size(exchange_of_parity_->partition()),
                    exchange_of_parity_->exchange().buffer_size());
  }

  base::Layout layout_;
  base::VectorExchange vectors_;
  std::unique_ptr<const ParityOnRanks> exchange_of_parity_;  // null without a swap
  mutable base::Array<double> whole_;  // the whole vector, or the exchange's buffers
  HostFactorisedProduct product_;
};

}  // namespace

base::DistributedOperator factorised_on_ranks(FactorisedParts factors,
                                              const base::Communicator& ranks,
                                              const base::Backend& backend) {
  const StringPartition strings(first_rows(factors), work_of_strings(factors), ranks.size());
  const base::Layout& layout = strings.layout();
  std::vector<Index> places = places_on(factors, strings, ranks.rank());
  if (!backend.is_host())
    return {cuda::factorised_on_devices(factors, strings, places, ranks, backend), layout};
  return {std::make_unique<FactorisedOnRanks>(std::move(factors), strings, std::move(places), ranks,
                                              backend),
          layout};
}

}  // namespace cisolve::ci

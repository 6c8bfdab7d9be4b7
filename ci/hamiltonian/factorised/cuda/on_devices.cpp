#include <algorithm>
#include <optional>

#include "ci/hamiltonian/factorised/cuda/device_product.hpp"
#include "ci/hamiltonian/parity/cuda/device_parity_transform.hpp"
#include "ci/hamiltonian/parity/cuda/device_swap.hpp"
#include "ci/hamiltonian/parity/cuda/device_swap_exchange.hpp"
#include "ci/hamiltonian/parity/parity_operators.hpp"

namespace cisolve::ci::cuda {
namespace {

/// Parity among devices: exchange of P x for whole vectors, and of images for the parity basis.
struct ParityOnDevices {
  ParityOnDevices(const AlphaBetaSwap& swap_of, std::span<const Index> first_row,
                  const StringPartition& strings, const base::VectorExchange& vectors)
      : host_swap(swap_of.to(vectors.backend().host())),
        swap(swap_of, vectors.backend()),
        exchange(vectors, SwapRoutes(vectors.ranks(), swap_of, strings, first_row)),
        partition(swap_of, strings, first_row, vectors.ranks().rank(),
                  SwapPartition::Schedule::in_phases),
        of_images(partition, vectors) {}
  ParityOnDevices(const ParityOnDevices&) = delete;
  ParityOnDevices& operator=(const ParityOnDevices&) = delete;
  ~ParityOnDevices() = default;

  Index bytes() const { return swap.bytes() + exchange.bytes() + of_images.bytes(); }

  AlphaBetaSwap host_swap;
  SwapOnDevice swap;
  DeviceSwapExchange exchange;
  SwapPartition partition;
  ImageExchangeOnDevice of_images;
};

/// Each rank computes the rows of its alpha strings on its device, from a whole vector, whose
/// memory also serves the exchange of P y.
class FactorisedOnDevices final : public ParityOperator {
 public:
  FactorisedOnDevices(const FactorisedParts& factors, const StringPartition& strings,
                      const std::vector<Index>& places, const base::Communicator& ranks,
                      const base::Backend& device)
      : layout_(strings.layout()),
        vectors_(ranks, device),
        exchange_of_parity_(parity_exchange_of(factors, strings, vectors_)),
        whole_(device, numbers(factors), "a vector of all ranks"),
        whole_rows_(factors.rows),
        product_(
            factors, places,
            exchange_of_parity_ ? exchange_of_parity_->partition.late() : std::span<const Index>(),
            device) {}

  Index rows() const override { return layout_.count(vectors_.ranks().rank()); }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) {
      vectors_.all_gather(layout_, x.column(j), whole_.data());
      const base::ConstBlock whole{whole_.data(), whole_rows_, 1, whole_rows_};
      const Parity parity = exchange_of_parity_ ? parity_of(whole) : Parity::mixed;
      if (parity == Parity::mixed) {
        product_.multiply(whole, y.slice(j, 1));
        continue;
      }
      product_.multiply_half(whole, y.slice(j, 1));
      add_swapped(parity, 1, y.column(j));
    }
  }

  double project_symmetry(double max_fraction, base::Block x) const override {
    if (!exchange_of_parity_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; ++j) norms.push_back(parity_norms(x.column(j)));
    return remove_minor_parity(
        norms, max_fraction, [&](int j, Parity parity) { add_swapped(parity, 0.5, x.column(j)); });
  }

  const AlphaBetaSwap* alpha_beta_swap() const override {
    return exchange_of_parity_ ? &exchange_of_parity_->host_swap : nullptr;
  }
  const base::Backend& backend() const override { return vectors_.backend(); }
  const SwapPartition& partition() const override { return exchange_of_parity_->partition; }
  void multiply(base::ConstBlock x, base::Block y) const override { product_.multiply(x, y); }
  void multiply_half(base::ConstBlock x, base::Block y) const override {
    product_.multiply_half(x, y);
  }
  std::unique_ptr<ParityTransform> parity_transform(const ParityBasis& basis) const override {
    return std::make_unique<ParityTransformOnDevice>(basis, exchange_of_parity_->swap.view(),
                                                     exchange_of_parity_->partition, &vectors_,
                                                     vectors_.backend());
  }
  const double* fetch_swapped(const double* image, double* workspace) const override {
    return exchange_of_parity_->of_images.fetch_all(image, workspace);
  }
  const double* multiply_half_and_fetch(base::ConstBlock x, base::Block y,
                                        double* workspace) const override {
    const std::span<const SwapPartition::Phase> phases = exchange_of_parity_->partition.phases();
    product_.begin_half(x, y);
    exchange_of_parity_->of_images.send_phase(phases.front(), y.data, workspace);
    product_.wait_for_late();
    for (const SwapPartition::Phase& phase : phases.subspan(1))
      exchange_of_parity_->of_images.send_phase(phase, y.data, workspace);
    return workspace + exchange_of_parity_->partition.sent_numbers();
  }
  ParityNorms parity_norms(const double* x) const override {
    exchange_of_parity_->exchange.fetch(x, whole_.data());
    return exchange_of_parity_->exchange.norms_of(x, whole_.data());
  }
  double* whole_workspace() const override { return whole_.data(); }

  bool diagonal(base::Block d) const override {
    product_.diagonal(d);
    return true;
  }

  base::OperatorDescription description() const override {
    const Index of_parity = exchange_of_parity_ ? exchange_of_parity_->bytes() : 0;
    return {"factorised", product_.bytes() + whole_.bytes() + of_parity, 0, 0};
  }

 private:
  /// Each rank adds up its part of a vector that all have.
  Parity parity_of(base::ConstBlock whole) const {
    const base::Communicator& ranks = vectors_.ranks();
    const ParityNorms mine =
        exchange_of_parity_->swap.norms_of(whole, ranks.rank(), ranks.size()).front();
    double norms[] = {mine.even, mine.odd};
    ranks.sum(norms);
    return ParityNorms{norms[0], norms[1]}.parity();
  }

  void add_swapped(Parity parity, double factor, double* y) const {
    exchange_of_parity_->exchange.fetch(y, whole_.data());
    exchange_of_parity_->exchange.add_swapped(parity, factor, y, whole_.data());
  }

  static std::unique_ptr<const ParityOnDevices> parity_exchange_of(
      const FactorisedParts& factors, const StringPartition& strings,
      const base::VectorExchange& vectors) {
    if (!factors.swap) return nullptr;
    return std::make_unique<const ParityOnDevices>(*factors.swap, first_rows(factors), strings,
                                                   vectors);
  }
  /// Elements of the workspace for a whole vector, which the exchange shares.
  Index numbers(const FactorisedParts& factors) const {
    return exchange_of_parity_
               ? std::max(whole_buffer_size(exchange_of_parity_->partition), 2 * rows())
               : factors.rows;
  }

  base::Layout layout_;
  base::VectorExchange vectors_;
  std::unique_ptr<const ParityOnDevices> exchange_of_parity_;  // null without a swap
  mutable base::Array<double> whole_;  // the whole vector, or the exchange's buffers
  Index whole_rows_;
  DeviceFactorisedProduct product_;  // destroyed first: it may still be running
};

}  // namespace

std::unique_ptr<base::LinearOperator> factorised_on_devices(const FactorisedParts& factors,
                                                            const StringPartition& strings,
                                                            const std::vector<Index>& places,
                                                            const base::Communicator& ranks,
                                                            const base::Backend& device) {
  return std::make_unique<FactorisedOnDevices>(factors, strings, places, ranks, device);
}

}  // namespace cisolve::ci::cuda

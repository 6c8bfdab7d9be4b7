#include <algorithm>
#include <optional>

#include "ci/hamiltonian/factorised/cuda/device_factors.hpp"
#include "ci/hamiltonian/parity/cuda/device_flip.hpp"
#include "ci/hamiltonian/parity/cuda/device_flip_exchange.hpp"
#include "ci/hamiltonian/parity/cuda/device_halves.hpp"
#include "ci/hamiltonian/parity/one_parity.hpp"

namespace cisolve::ci::cuda {
namespace {

/// What vectors that are even or odd take among devices: whole ones, and halves.
struct Flips {
  Flips(const SpinFlip& flip_of, std::span<const Index> first_row, const DealtStrings& strings,
        const base::VectorExchange& vectors)
      : at_home(flip_of.to(vectors.backend().host())),
        flip(flip_of, vectors.backend()),
        exchange(vectors, FlipWays(vectors.ranks(), flip_of, strings, first_row)),
        shares(flip_of, strings, first_row, vectors.ranks().rank(), FlipShares::Telling::by_turns),
        of_images(shares, vectors) {}
  Flips(const Flips&) = delete;
  Flips& operator=(const Flips&) = delete;
  ~Flips() = default;

  Index bytes() const { return flip.bytes() + exchange.bytes() + of_images.bytes(); }

  SpinFlip at_home;
  FlipOnDevice flip;
  DeviceFlipExchange exchange;
  FlipShares shares;
  FlipsToDevices of_images;
};

/// Each rank has the rows of its alpha strings, whose products its device takes of whole vectors.
/// What belongs to their flips is exchanged in the memory where a whole vector stood.
class FactorsOnDevices final : public FlipProduct {
 public:
  FactorsOnDevices(const Factors& factors, const DealtStrings& strings,
                   const std::vector<Index>& places, const base::Communicator& ranks,
                   const base::Backend& device)
      : layout_(strings.layout()),
        vectors_(ranks, device),
        flips_(flips_of(factors, strings, vectors_)),
        whole_(device, numbers(factors), "a vector of all ranks"),
        whole_rows_(factors.rows),
        factors_(factors, places, flips_ ? flips_->shares.late() : std::span<const Index>(),
                 device) {}

  Index rows() const override { return layout_.count(vectors_.ranks().rank()); }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) {
      vectors_.everywhere(layout_, x.column(j), whole_.data());
      const base::ConstBlock whole{whole_.data(), whole_rows_, 1, whole_rows_};
      const Parity parity = flips_ ? parity_of(whole) : Parity::mixed;
      if (parity == Parity::mixed) {
        factors_.multiply(whole, y.slice(j, 1));
        continue;
      }
      factors_.multiply_half(whole, y.slice(j, 1));
      add_flipped(parity, 1, y.column(j));
    }
  }

  double purify(double share, base::Block x) const override {
    if (!flips_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; ++j) norms.push_back(parity_norms(x.column(j)));
    return ci::purify(norms, share,
                      [&](int j, Parity parity) { add_flipped(parity, 0.5, x.column(j)); });
  }

  const SpinFlip* flip() const override { return flips_ ? &flips_->at_home : nullptr; }
  const base::Backend& backend() const override { return vectors_.backend(); }
  const FlipShares& shares() const override { return flips_->shares; }
  void multiply(base::ConstBlock x, base::Block y) const override { factors_.multiply(x, y); }
  void multiply_half(base::ConstBlock x, base::Block y) const override {
    factors_.multiply_half(x, y);
  }
  std::unique_ptr<HalvesMaker> halves_maker(const Halves& halves) const override {
    return std::make_unique<HalvesOnDevice>(halves, flips_->flip.view(), flips_->shares, &vectors_,
                                            vectors_.backend());
  }
  const double* bring_flips(const double* image, double* room) const override {
    return flips_->of_images.bring(image, room);
  }
  const double* multiply_half_and_bring(base::ConstBlock x, base::Block y,
                                        double* room) const override {
    const std::span<const FlipShares::Turn> turns = flips_->shares.turns();
    factors_.begin_half(x, y);
    flips_->of_images.tell(turns.front(), y.data, room);
    factors_.wait_for_late();
    for (const FlipShares::Turn& turn : turns.subspan(1))
      flips_->of_images.tell(turn, y.data, room);
    return room + flips_->shares.sent_numbers();
  }
  ParityNorms parity_norms(const double* x) const override {
    flips_->exchange.fetch(x, whole_.data());
    return flips_->exchange.norms_of(x, whole_.data());
  }
  double* whole_room() const override { return whole_.data(); }

  bool diagonal(base::Block d) const override {
    factors_.diagonal(d);
    return true;
  }

  base::OperatorDescription description() const override {
    const Index of_flips = flips_ ? flips_->bytes() : 0;
    return {"factorised", factors_.bytes() + whole_.bytes() + of_flips, 0, 0};
  }

 private:
  /// Each rank looks at its part of a vector that all have.
  Parity parity_of(base::ConstBlock whole) const {
    const base::Communicator& ranks = vectors_.ranks();
    const ParityNorms mine = flips_->flip.norms_of(whole, ranks.rank(), ranks.size()).front();
    double norms[] = {mine.even, mine.odd};
    ranks.sum(norms);
    return ParityNorms{norms[0], norms[1]}.parity();
  }

  void add_flipped(Parity parity, double factor, double* y) const {
    flips_->exchange.fetch(y, whole_.data());
    flips_->exchange.add_flipped(parity, factor, y, whole_.data());
  }

  static std::unique_ptr<const Flips> flips_of(const Factors& factors, const DealtStrings& strings,
                                               const base::VectorExchange& vectors) {
    if (!factors.flip) return nullptr;
    return std::make_unique<const Flips>(*factors.flip, first_rows(factors), strings, vectors);
  }
  /// Of the room for whole vectors, which is also that for what is exchanged.
  Index numbers(const Factors& factors) const {
    return flips_ ? std::max(numbers_of_whole(flips_->shares), 2 * rows()) : factors.rows;
  }

  base::Layout layout_;
  base::VectorExchange vectors_;
  std::unique_ptr<const Flips> flips_;  // null where there are none
  mutable base::Array<double> whole_;   // or what is exchanged
  Index whole_rows_;
  DeviceFactors factors_;  // ends first, for it may still work
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

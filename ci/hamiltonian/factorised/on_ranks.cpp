#include <algorithm>

#include "base/loops.hpp"
#include "ci/hamiltonian/factorised/host_factors.hpp"
#include "ci/hamiltonian/factorised/ways.hpp"
#include "ci/hamiltonian/parity/flip_exchange.hpp"
#include "ci/hamiltonian/parity/one_parity.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kSentGrain = 16;  // rows of alpha strings

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

/// What vectors that are even or odd take among ranks: of whole ones, and of halves.
class Flips {
 public:
  Flips(SpinFlip flip, std::span<const Index> first_row, const DealtStrings& strings,
        const base::VectorExchange& vectors)
      : flip_(std::move(flip)),
        vectors_(vectors),
        exchange_(vectors.ranks(), flip_, strings, first_row, vectors.backend()),
        shares_(flip_, strings, first_row, vectors.ranks().rank()) {}
  Flips(const Flips&) = delete;
  Flips& operator=(const Flips&) = delete;
  ~Flips() = default;

  const SpinFlip& flip() const { return flip_; }
  const FlipExchange& exchange() const { return exchange_; }
  const FlipShares& shares() const { return shares_; }

  std::unique_ptr<HalvesMaker> halves_maker(const Halves& halves) const {
    return halves_on_host(halves, shares_, &vectors_, vectors_.backend());
  }

  const double* bring(const double* image, double* room) const {
    base::for_each_chunk(
        std::ssize(shares_.sent()), kSentGrain, vectors_.backend(), [&](Index first, Index last) {
          for (const FlipShares::Sent& sent : shares_.sent().subspan(first, last - first))
            std::copy_n(image + sent.from, sent.count, room + sent.to);
        });
    for (const FlipShares::Turn& turn : shares_.turns()) shares_.tell(vectors_, turn, room);
    return room + shares_.sent_numbers();
  }

  Index bytes() const { return flip_.bytes() + exchange_.bytes(); }

 private:
  SpinFlip flip_;
  const base::VectorExchange& vectors_;
  FlipExchange exchange_;
  FlipShares shares_;
};

/// Each rank has the rows of its alpha strings, whose products it takes of whole vectors.
class FactorsOnRanks final : public FlipProduct {
 public:
  FactorsOnRanks(Factors factors, const DealtStrings& strings, std::vector<Index> places,
                 const base::Communicator& ranks, const base::Backend& host)
      : layout_(strings.layout()),
        vectors_(ranks, host),
        flips_(flips_of(factors, strings)),
        whole_(host, numbers(factors), "a vector of all ranks"),
        factors_(std::move(factors.blocks), std::move(factors.couplings), std::move(places), host) {
  }

  Index rows() const override { return layout_.count(vectors_.ranks().rank()); }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) {
      const Parity parity = flips_ ? parity_norms(x.column(j)).parity() : Parity::mixed;
      vectors_.everywhere(layout_, x.column(j), whole_.data());
      if (parity == Parity::mixed) {
        factors_.multiply(whole_.data(), y.column(j));
      } else {
        factors_.multiply_half(whole_.data(), y.column(j));
        flips_->exchange().add_flipped(parity, 1, y.column(j), whole_.data());
      }
    }
  }

  double purify(double share, base::Block x) const override {
    if (!flips_) return 0;
    std::vector<ParityNorms> norms;
    for (int j = 0; j < x.columns; ++j) norms.push_back(parity_norms(x.column(j)));
    return ci::purify(norms, share, [&](int j, Parity parity) {
      flips_->exchange().add_flipped(parity, 0.5, x.column(j), whole_.data());
    });
  }

  const SpinFlip* flip() const override { return flips_ ? &flips_->flip() : nullptr; }
  const base::Backend& backend() const override { return vectors_.backend(); }
  const FlipShares& shares() const override { return flips_->shares(); }
  void multiply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) factors_.multiply(x.column(j), y.column(j));
  }
  void multiply_half(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns; ++j) factors_.multiply_half(x.column(j), y.column(j));
  }
  std::unique_ptr<HalvesMaker> halves_maker(const Halves& halves) const override {
    return flips_->halves_maker(halves);
  }
  const double* bring_flips(const double* image, double* room) const override {
    return flips_->bring(image, room);
  }
  ParityNorms parity_norms(const double* x) const override {
    return flips_->exchange().norms_of(x, whole_.data());
  }
  double* whole_room() const override { return whole_.data(); }

  bool diagonal(base::Block d) const override {
    factors_.diagonal(d.column(0));
    return true;
  }

  base::OperatorDescription description() const override {
    return {"factorised", factors_.bytes() + whole_.bytes() + (flips_ ? flips_->bytes() : 0), 0, 0};
  }

 private:
  std::unique_ptr<const Flips> flips_of(Factors& factors, const DealtStrings& strings) const {
    if (!factors.flip) return nullptr;
    return std::make_unique<const Flips>(*std::move(factors.flip), first_rows(factors), strings,
                                         vectors_);
  }

  /// Of the room for whole vectors, which is also that for what is exchanged.
  Index numbers(const Factors& factors) const {
    if (!flips_) return factors.rows;
    return std::max(numbers_of_whole(flips_->shares()), flips_->exchange().room());
  }

  base::Layout layout_;
  base::VectorExchange vectors_;
  std::unique_ptr<const Flips> flips_;  // null where there are none
  mutable base::Array<double> whole_;   // or what is exchanged
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

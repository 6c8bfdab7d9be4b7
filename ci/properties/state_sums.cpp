#include "ci/properties/state_sums.hpp"

#include <algorithm>
#include <atomic>

#include "base/loops.hpp"
#include "ci/fock/spaces/spin_major_order.hpp"
#include "ci/properties/host_mixed_density.hpp"
#include "ci/properties/inner_product.hpp"
#include "ci/properties/same_spin_density.hpp"
#include "ci/properties/spin_squared.hpp"
#include "ci/properties/weights.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kStringsInChunk = 16;

/// Symmetry of a tile of a square matrix and its mirror tile.
struct Parities {
  bool even = true;
  bool odd = true;

  static Parities of_tile(const double* x, Index n, Index row, Index column, Index size) {
    Parities found;
    for (Index i = row; i < std::min(row + size, n); ++i)
      for (Index j = column; j < std::min(column + size, n); ++j) {
        found.even &= x[i * n + j] == x[j * n + i];
        found.odd &= x[i * n + j] == -x[j * n + i];
      }
    return found;
  }
};

/// A bra and a ket sorted by the strings of one spin.
class LinePair {
 public:
  LinePair(const Space& space, Spin spin, const double* bra, const double* ket)
      : host_(space.host()),
        lines_(space, spin),
        others_(std::ssize(space.strings(other(spin)))),
        bra_copy_(host_, 0, "a vector by its strings"),
        ket_copy_(host_, 0, "a vector by its strings"),
        ket_(lines_.arranged(ket, ket_copy_)),
        bra_(bra == ket ? ket_ : lines_.arranged(bra, bra_copy_)) {}

  void overlaps(const PairBatch& batch, std::span<double> values) const {
    base::for_each_chunk(batch.offsets.size() - 1, kStringsInChunk, host_,
                         [&](Index first, Index last) {
                           base::Array<double> line(host_, others_, "the line of a string");
                           std::ranges::fill(line.span(), 0.0);
                           for (Index i = first; i < last; ++i)
                             multiply(batch, i, line.data(), values);
                         });
  }

 private:
  /// `line` is zero on entry and on return. Lines with the same list are multiplied directly.
  void multiply(const PairBatch& batch, Index i, double* line, std::span<double> values) const {
    const Index string = batch.first_string + i;
    const auto own = lines_.others(string);
    const double* ket = ket_ + lines_.first(string);
    bool is_spread = false;
    const auto spread = [&] {
      for (std::size_t k = 0; k < own.size(); ++k) line[own[k]] = ket[k];
      is_spread = true;
    };
    for (Index at = batch.offsets[i]; at < batch.offsets[i + 1]; ++at) {
      const StringPair& pair = batch.pairs[at];
      const auto others = lines_.others(pair.target);
      const double* bra = bra_ + lines_.first(pair.target);
      const bool is_same = others.data() == own.data() && others.size() == own.size();
      if (!is_same && !is_spread) spread();
      const double sum =
          is_same ? inner_product(bra, ket, std::ssize(own)) : product_with(line, bra, others);
      values[at] = pair.odd ? -sum : sum;
    }
    if (!is_spread) return;
    for (const StringNumber other : own) line[other] = 0;
  }

  static double product_with(const double* line, const double* bra,
                             std::span<const StringNumber> others) {
    double sum = 0;
    for (std::size_t k = 0; k < others.size(); ++k) sum += bra[k] * line[others[k]];
    return sum;
  }

  base::Backend host_;
  SpinMajorOrder lines_;
  Index others_;
  base::Array<double> bra_copy_;
  base::Array<double> ket_copy_;
  const double* ket_;
  const double* bra_;
};

class HostSums final : public StateSums {
 public:
  using StateSums::StateSums;

  const base::Backend& backend() const override { return space().host(); }

  void overlaps(Spin spin, const StringPairs& pairs, const double* bra, const double* ket,
                const TakeOverlaps& take) const override {
    const LinePair lines(space(), spin, bra, ket);
    pairs.for_each_batch([&](const PairBatch& batch) {
      base::Array<double> values(backend(), batch.pairs.size(), "the overlaps of strings");
      lines.overlaps(batch, values.span());
      take(batch.pairs.span(), values.span());
    });
  }

  void one_density(Spin spin, const double* x, std::span<double> values) const override {
    add_one_transition(*this, spin, x, x, values);
  }

  void same_spin_density(Spin spin, const double* x, std::span<double> values) const override {
    add_same_spin_density(*this, spin, x, values);
  }

  void mixed_density(const double* x, std::span<double> mixed) const override {
    if (!mixed_) mixed_.emplace(space());
    mixed_->add(x, x, mixed);
  }

  std::unique_ptr<base::LinearOperator> spin_squared() const override {
    return std::make_unique<SpinSquared>(space());
  }
  std::unique_ptr<base::LinearOperator> irrep_labels(std::span<const int> labels) const override {
    return std::make_unique<IrrepLabels>(space(), labels);
  }

 private:
  bool is_even_or_odd(const double* x) const override {
    constexpr Index kTile = 64;
    const Index n = std::ssize(space().strings(Spin::alpha));
    std::atomic<bool> even = true;
    std::atomic<bool> odd = true;
    base::for_each_chunk(n, kTile, backend(), [&](Index row, Index) {
      for (Index column = 0; column <= row && (even || odd); column += kTile) {
        const Parities here = Parities::of_tile(x, n, row, column, kTile);
        if (!here.even) even = false;
        if (!here.odd) odd = false;
      }
    });
    return even || odd;
  }

  mutable std::optional<HostMixedDensity> mixed_;
};

}  // namespace

bool StateSums::is_square() const {
  const auto alphas = space_.strings(Spin::alpha);
  const auto betas = space_.strings(Spin::beta);
  return space_.dimension() == std::ssize(alphas) * std::ssize(betas) &&
         std::ranges::equal(alphas, betas);
}

const StringPairs& StateSums::pairs(Spin spin, int most_moved) const {
  if (std::ranges::equal(space_.strings(Spin::alpha), space_.strings(Spin::beta)))
    spin = Spin::alpha;
  const std::size_t place = 2 * static_cast<std::size_t>(spin) + (most_moved == 2 ? 1 : 0);
  if (!pairs_[place]) pairs_[place] = std::make_unique<StringPairs>(space_, spin, most_moved);
  return *pairs_[place];
}

std::unique_ptr<StateSums> state_sums(const Space& space) {
  return std::make_unique<HostSums>(space);
}

std::unique_ptr<StateSums> state_sums(const Space& space, const base::Backend& backend) {
  return backend.is_host() ? state_sums(space) : cuda::state_sums(space, backend);
}

}  // namespace cisolve::ci

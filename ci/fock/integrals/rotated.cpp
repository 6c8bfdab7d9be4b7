#include "ci/fock/integrals/rotated.hpp"

#include <span>
#include <vector>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

using base::SmallMatrix;

constexpr Index kPairsAtOnce = 16;

/// c^T m c of symmetric matrices m, packed.
class PairTransform {
 public:
  explicit PairTransform(const SmallMatrix& c) : c_(c), n_(c.rows()) {}

  Index pairs() const { return Index{n_} * (n_ + 1) / 2; }

  /// `half` is scratch of n x n numbers. `from(pair)` and `to(pair, value)` are packed elements.
  template <class From, class To>
  void apply(std::vector<double>& half, From from, To to) const {
    std::fill(half.begin(), half.end(), 0.0);
    for (int p = 0; p < n_; ++p)  // half = m c, column by column of c
      for (int q = 0; q < n_; ++q) {
        const double value = from(pair_index(p, q));
        if (value != 0)
          for (int j = 0; j < n_; ++j) half[element(p, j)] += value * c_(q, j);
      }
    std::vector<double> row(static_cast<std::size_t>(n_));
    for (int i = 0; i < n_; ++i) {
      std::fill(row.begin(), row.end(), 0.0);
      for (int p = 0; p < n_; ++p) {
        const double factor = c_(p, i);
        for (int j = 0; j <= i; ++j)
          row[static_cast<std::size_t>(j)] += factor * half[element(p, j)];
      }
      for (int j = 0; j <= i; ++j) to(pair_index(i, j), row[static_cast<std::size_t>(j)]);
    }
  }

  std::vector<double> scratch() const {
    return std::vector<double>(static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_));
  }

 private:
  std::size_t element(int p, int j) const {
    return static_cast<std::size_t>(p) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(j);
  }

  const SmallMatrix& c_;
  int n_;
};

}  // namespace

Integrals rotated(const Integrals& integrals, const SmallMatrix& c, const base::Backend& host) {
  const PairTransform transform(c);
  const Index pairs = transform.pairs();
  base::Array<double> half(host, pairs * pairs, "half-transformed integrals");
  const base::Array<double>& two = integrals.same_spin(Spin::alpha);
  base::for_each_chunk(pairs, kPairsAtOnce, host, [&](Index first, Index last) {
    std::vector<double> scratch = transform.scratch();
    for (Index rs = first; rs < last; ++rs)
      transform.apply(
          scratch, [&](Index pq) { return two[pair_index(pq, rs)]; },
          [&](Index ij, double value) { half[ij * pairs + rs] = value; });
  });
  Integrals found(c.columns(), false, host);
  found.set_core_energy(integrals.core_energy());
  std::vector<double> scratch = transform.scratch();
  std::vector<std::pair<int, int>> of_pair;
  for (int p = 0; p < c.columns(); ++p)
    for (int q = 0; q <= p; ++q) of_pair.emplace_back(p, q);
  transform.apply(
      scratch, [&](Index pq) { return integrals.one_electron(Spin::alpha)[pq]; },
      [&](Index ij, double value) {
        const auto [p, q] = of_pair[static_cast<std::size_t>(ij)];
        found.set_one(Spin::alpha, p, q, value);
      });
  base::for_each_chunk(pairs, kPairsAtOnce, host, [&](Index first, Index last) {
    std::vector<double> own = transform.scratch();
    for (Index ij = first; ij < last; ++ij) {
      const auto [p, q] = of_pair[static_cast<std::size_t>(ij)];
      transform.apply(
          own, [&](Index rs) { return half[ij * pairs + rs]; },
          [&](Index kl, double value) {
            if (kl > ij) return;
            const auto [r, s] = of_pair[static_cast<std::size_t>(kl)];
            found.set_two(Spin::alpha, p, q, Spin::alpha, r, s, value);
          });
    }
  });
  return found;
}

OneElectronOperator rotated(const OneElectronOperator& one, const SmallMatrix& c) {
  OneElectronOperator found = one;
  const int n = c.rows();
  for (SmallMatrix& o : found.alpha) {
    SmallMatrix half(n, c.columns());
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q)
        for (int j = 0; j < c.columns(); ++j) half(p, j) += o(p, q) * c(q, j);
    SmallMatrix whole(c.columns(), c.columns());
    for (int i = 0; i < c.columns(); ++i)
      for (int j = 0; j < c.columns(); ++j)
        for (int p = 0; p < n; ++p) whole(i, j) += c(p, i) * half(p, j);
    o = whole;
  }
  return found;
}

}  // namespace cisolve::ci

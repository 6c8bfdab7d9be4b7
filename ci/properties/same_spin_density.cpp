#include "ci/properties/same_spin_density.hpp"

namespace cisolve::ci {
namespace {

/// Adds overlaps to a matrix over pairs of electrons of one spin: `there` = <target|string> for the
/// excitation, `back` = <string|target> for its reverse.
class SamePairs {
 public:
  SamePairs(const Space& space, Spin spin, std::span<double> values)
      : space_(space), spin_(spin), pairs_(pairs_of(space.orbitals())), values_(values) {}

  void add(const StringPair& pair, double there, double back) {
    const auto occupied = space_.occupied(spin_, pair.string);
    if (pair.moved == 0) {
      for (std::size_t i = 0; i < occupied.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
          const Index place = place_of_pair(occupied[i], occupied[j]);
          values_[place * pairs_ + place] += there;
        }
    } else if (pair.moved == 1) {
      for (const int k : occupied)
        if (k != pair.from.first)
          add(ordered(pair.to.first, k), ordered(pair.from.first, k), there, back);
    } else {
      add(ordered(pair.to.second, pair.to.first), ordered(pair.from.second, pair.from.first), there,
          back);
    }
  }

 private:
  void add(const OrderedPair& created, const OrderedPair& taken, double there, double back) {
    const double sign = created.sign * taken.sign;
    values_[created.place * pairs_ + taken.place] += sign * there;
    values_[taken.place * pairs_ + created.place] += sign * back;
  }

  const Space& space_;
  Spin spin_;
  Index pairs_;
  std::span<double> values_;
};

}  // namespace

void add_one_transition(const StateSums& sums, Spin spin, const double* bra, const double* ket,
                        std::span<double> values) {
  const Space& space = sums.space();
  const Index n = space.orbitals();
  const auto add = [&](const StringPair& pair, double value) {
    if (pair.moved == 1)
      values[pair.to.first + n * pair.from.first] += value;
    else
      for (const int p : space.occupied(spin, pair.string)) values[p + n * p] += value;
  };
  sums.overlaps(spin, sums.pairs(spin, 1), bra, ket, [&](auto pairs, auto overlaps) {
    for (std::size_t i = 0; i < pairs.size(); ++i) add(pairs[i], overlaps[i]);
  });
}

void add_same_spin_density(const StateSums& sums, Spin spin, const double* x,
                           std::span<double> values) {
  SamePairs same(sums.space(), spin, values);
  sums.overlaps(spin, sums.pairs(spin, 2), x, x, [&](auto pairs, auto overlaps) {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (overlaps[i] != 0) same.add(pairs[i], overlaps[i], overlaps[i]);
  });
}

void add_same_spin_transition(const StateSums& sums, Spin spin, const double* bra,
                              const double* ket, std::span<double> values) {
  SamePairs same(sums.space(), spin, values);
  const StringPairs& all = sums.pairs(spin, 2);
  sums.overlaps(spin, all, bra, ket, [&](auto pairs, auto overlaps) {
    for (std::size_t i = 0; i < pairs.size(); ++i) same.add(pairs[i], overlaps[i], 0);
  });
  sums.overlaps(spin, all, ket, bra, [&](auto pairs, auto overlaps) {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (pairs[i].moved > 0) same.add(pairs[i], 0, overlaps[i]);
  });
}

}  // namespace cisolve::ci

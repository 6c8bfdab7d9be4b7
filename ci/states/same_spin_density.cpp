#include "ci/states/same_spin_density.hpp"

namespace cisolve::ci {
namespace {

/// Adds overlaps to a matrix over pairs of electrons of one spin.
class SamePairs {
 public:
  SamePairs(const Space& space, Spin spin, std::span<double> values)
      : space_(space), spin_(spin), pairs_(pairs_of(space.orbitals())), values_(values) {}

  void add(const StringPair& pair, double value) {
    const auto occupied = space_.occupied(spin_, pair.string);
    if (pair.moved == 0) {
      for (std::size_t i = 0; i < occupied.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
          const Index place = place_of_pair(occupied[i], occupied[j]);
          values_[place * pairs_ + place] += value;
        }
    } else if (pair.moved == 1) {
      for (const int k : occupied)
        if (k != pair.from.first)
          add(ordered(pair.to.first, k), ordered(pair.from.first, k), value);
    } else {
      add(ordered(pair.to.second, pair.to.first), ordered(pair.from.second, pair.from.first),
          value);
    }
  }

 private:
  void add(const OrderedPair& created, const OrderedPair& taken, double value) {
    const double signed_value = created.sign * taken.sign * value;
    values_[created.place * pairs_ + taken.place] += signed_value;
    values_[taken.place * pairs_ + created.place] += signed_value;
  }

  const Space& space_;
  Spin spin_;
  Index pairs_;
  std::span<double> values_;
};

}  // namespace

void add_same_spin_density(const StateSums& sums, Spin spin, const double* x,
                           std::span<double> values) {
  SamePairs same(sums.space(), spin, values);
  sums.overlaps(spin, sums.pairs(spin, 2), x, x, [&](auto pairs, auto overlaps) {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (overlaps[i] != 0) same.add(pairs[i], overlaps[i]);
  });
}

}  // namespace cisolve::ci

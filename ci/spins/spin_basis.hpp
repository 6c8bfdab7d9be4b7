#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ci/sectors/spin_orbits.hpp"

namespace cisolve::ci {

/// The states of spins that a problem is solved among, numbered: words, or with a sector the
/// symmetric combinations of their orbits. Of an orbit with least word r and a group G of which S
/// leaves r as it is, these are sqrt(d / (|G||S|)) times the sum over g of (D(g) v)_1 |g r>, for an
/// orthonormal basis v of what S leaves of the representation D. Electrons in another order than
/// that of their places have a sign in g r, and one that S changes counts in what it leaves.
class SpinBasis {
 public:
  /// Orbits are found here, on a device where it is given one, and kept by the host. Throws
  /// Fault::resources where they do not fit. Electrons have a sector; others are a ci::Space.
  SpinBasis(SpinWords words, std::optional<SpinSector> sector, const base::Backend& backend);

  Index dimension() const { return dimension_; }
  const SpinWords& words() const { return words_; }
  const std::optional<SpinSector>& sector() const { return sector_; }
  const base::Backend& host() const { return representatives_.backend(); }

  /// Orbits that have states, or words; rows of the one are followed by those of the next.
  Index orbits() const { return sector_ ? representatives_.size() : words_.count(); }
  Index first_row(Index orbit) const {
    return first_rows_.size() == 0 ? orbit : first_rows_[orbit];
  }
  Index orbit_of(Index row) const;
  SpinWord word(Index orbit) const {
    return sector_ ? representatives_[orbit] : words_.word(orbit);
  }

  /// Of a sector: the orbit that has this least word; -1 where it has no states.
  Index orbit_with(SpinWord least) const {
    const auto words = representatives_.span();
    const auto place = std::ranges::lower_bound(words, least);
    return place != words.end() && *place == least ? place - words.begin() : -1;
  }

  /// What a stabiliser leaves of the representation: so many states, and how many operations it
  /// has.
  struct Kind {
    int states = 1;
    double operations = 1;
    std::array<std::array<double, 2>, 2> vectors = {{{1, 0}, {0, 1}}};

    /// By what a word of state `w` of this kind is to be multiplied, which an operation with such a
    /// matrix makes of one that is reached from state `v` of another kind: on all backends alike.
    CISOLVE_HOST_DEVICE double factor(int w, const SectorMatrix& m, const Kind& from, int v) const {
      const auto& a = vectors[w];
      const auto& b = from.vectors[v];
      const double first = std::fma(m(0, 0), b[0], m(0, 1) * b[1]);
      const double second = std::fma(m(1, 0), b[0], m(1, 1) * b[1]);
      return std::sqrt(operations / from.operations) * std::fma(a[0], first, a[1] * second);
    }
  };
  const Kind& kind(Index orbit) const { return kinds_[kind_of_.size() == 0 ? 0 : kind_of_[orbit]]; }

  /// Calls visit(row, factor) for the states of the orbit of a word: by what a word that is reached
  /// from state `v` of an orbit of kind `from` is to be multiplied.
  template <class Visit>
  void find(SpinWord word, const Kind& from, int v, Visit visit) const {
    if (!sector_) return visit(words_.number(word), 1.0);
    const auto [least, operation] = orbits_->least(word);
    const Index orbit = orbit_with(least);
    if (orbit < 0) return;
    const Kind& to = kind(orbit);
    const SectorMatrix& matrix = sector_->operations[operation].matrix;
    const double sign = orbits_->changes_sign(operation, word) ? -1 : 1;
    for (int w = 0; w < to.states; ++w)
      visit(first_row(orbit) + w, sign * to.factor(w, matrix, from, v));
  }

 private:
  class Finder;
  friend class SpinTables;

  SpinWords words_;
  std::optional<SpinSector> sector_;
  std::unique_ptr<const SpinOrbits> orbits_;
  std::vector<Kind> kinds_ = {Kind{}};
  base::Array<SpinWord> representatives_;
  base::Array<std::uint8_t> kind_of_;  // empty where all are of the first kind
  base::Array<Index> first_rows_;      // empty where each orbit has one state
  Index dimension_ = 0;
};

}  // namespace cisolve::ci

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ci/lattice/sectors/symmetry_orbits.hpp"

namespace cisolve::ci {

/// The numbered basis of a lattice problem: words or, with a sector, symmetric combinations of
/// orbits. For an orbit with representative r, group G and stabiliser S of r these are sqrt(d /
/// (|G||S|)) sum_g (D(g) v)_1 |g r>, v running over an orthonormal basis of the S-invariant vectors
/// of the representation D. For electrons g includes the fermion sign.
class SymmetryAdaptedBasis {
 public:
  /// Finds the orbits on `backend` and stores them on the host. Throws ErrorKind::resources if they
  /// do not fit. Electrons need a sector; without one they are a ci::Space.
  SymmetryAdaptedBasis(BasisStates words, std::optional<SymmetrySector> sector,
                       const base::Backend& backend);

  Index dimension() const { return dimension_; }
  const BasisStates& words() const { return words_; }
  const std::optional<SymmetrySector>& sector() const { return sector_; }
  const base::Backend& host() const { return representatives_.backend(); }

  /// Orbits with states, or words without a sector; rows are ordered by orbit.
  Index orbits() const { return sector_ ? representatives_.size() : words_.count(); }
  Index first_row(Index orbit) const {
    return first_rows_.size() == 0 ? orbit : first_rows_[orbit];
  }
  Index orbit_of(Index row) const;
  BasisState word(Index orbit) const {
    return sector_ ? representatives_[orbit] : words_.word(orbit);
  }

  /// The orbit of this representative, if there is a sector; -1 if it has no states.
  Index orbit_with(BasisState least) const {
    const auto words = representatives_.span();
    const auto place = std::ranges::lower_bound(words, least);
    return place != words.end() && *place == least ? place - words.begin() : -1;
  }

  /// The S-invariant subspace for the stabiliser of an orbit: dimension `states`, order
  /// `operations` of S, and the basis vectors v.
  struct OrbitKind {
    int states = 1;
    double operations = 1;
    std::array<std::array<double, 2>, 2> vectors = {{{1, 0}, {0, 1}}};

    /// The factor <w|D(g)|v> sqrt(|S_w| / |S_v|) of a matrix element from state `v` of kind `from`
    /// to state `w` of this kind, m being the matrix of the operation g that maps the word to its
    /// representative. The same bits on all backends.
    CISOLVE_HOST_DEVICE double factor(int w, const SectorMatrix& m, const OrbitKind& from,
                                      int v) const {
      const auto& a = vectors[w];
      const auto& b = from.vectors[v];
      const double first = std::fma(m(0, 0), b[0], m(0, 1) * b[1]);
      const double second = std::fma(m(1, 0), b[0], m(1, 1) * b[1]);
      return std::sqrt(operations / from.operations) * std::fma(a[0], first, a[1] * second);
    }
  };
  const OrbitKind& kind(Index orbit) const {
    return kinds_[kind_of_.size() == 0 ? 0 : kind_of_[orbit]];
  }

  /// Calls visit(row, factor) for the states of the word's orbit, the word being reached from state
  /// `v` of an orbit of kind `from`.
  template <class Visit>
  void find(BasisState word, const OrbitKind& from, int v, Visit visit) const {
    if (!sector_) return visit(words_.number(word), 1.0);
    const auto [least, operation] = orbits_->least(word);
    const Index orbit = orbit_with(least);
    if (orbit < 0) return;
    const OrbitKind& to = kind(orbit);
    const SectorMatrix& matrix = sector_->operations[operation].matrix;
    const double sign = orbits_->changes_sign(operation, word) ? -1 : 1;
    for (int w = 0; w < to.states; ++w)
      visit(first_row(orbit) + w, sign * to.factor(w, matrix, from, v));
  }

 private:
  class Finder;
  friend class SiteModelTables;

  BasisStates words_;
  std::optional<SymmetrySector> sector_;
  std::unique_ptr<const SymmetryOrbits> orbits_;
  std::vector<OrbitKind> kinds_ = {OrbitKind{}};
  base::Array<BasisState> representatives_;
  base::Array<std::uint8_t> kind_of_;  // empty if all are of the first kind
  base::Array<Index> first_rows_;      // empty if each orbit has one state
  Index dimension_ = 0;
};

}  // namespace cisolve::ci

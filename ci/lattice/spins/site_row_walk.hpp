#pragma once

#include "ci/lattice/spins/symmetry_adapted_basis.hpp"

namespace cisolve::ci {

/// Iterates over consecutive rows.
class SiteRowWalk {
 public:
  SiteRowWalk(const SymmetryAdaptedBasis& basis, Index row)
      : basis_(basis),
        orbit_(basis.orbit_of(row)),
        state_(static_cast<int>(row - basis.first_row(orbit_))),
        word_(basis.word(orbit_)) {}

  BasisState word() const { return word_; }
  /// Calls visit(column, factor) for the rows of the orbit of `other`, a word reached from this
  /// row's word.
  template <class Visit>
  void find(BasisState other, Visit visit) const {
    basis_.find(other, basis_.kind(orbit_), state_, visit);
  }

  Index row() const { return basis_.first_row(orbit_) + state_; }
  void next() {
    if (++state_ < basis_.kind(orbit_).states) return;
    state_ = 0;
    if (++orbit_ < basis_.orbits())
      word_ = basis_.sector() ? basis_.word(orbit_) : basis_.words().next(word_);
  }

 private:
  const SymmetryAdaptedBasis& basis_;
  Index orbit_;
  int state_;
  BasisState word_;
};

/// Calls visit(column, value) for the elements of a row; a column may occur repeatedly.
template <class Visit>
void visit_elements(const SiteRowWalk& walk, const SiteModel& model, Visit visit) {
  visit(walk.row(), model.energy(walk.word()));
  for (const SiteModel::FlipTerm& move : model.moves) {
    if (!move.acts_on(walk.word())) continue;
    const double value = move.value(walk.word());
    walk.find(walk.word() ^ move.mask,
              [&](Index column, double factor) { visit(column, factor * value); });
  }
}

}  // namespace cisolve::ci

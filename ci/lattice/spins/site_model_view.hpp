#pragma once

#include "ci/lattice/sectors/fermion_signs.hpp"
#include "ci/lattice/sectors/site_rotations.hpp"
#include "ci/lattice/spins/site_model_rows.hpp"

namespace cisolve::ci {

/// A model in a basis, usable in kernels: the same elements as SiteRowWalk's, in the same order.
struct SiteModelView {
  BasisStatesView words;
  bool has_sector;
  SiteRotationsView rotations;
  FermionSignsView signs;
  const SectorMatrix* matrices;  // indexed by operation
  Index rows;
  Index orbits;                       // number of orbits, if there is a sector
  const BasisState* representatives;  // indexed by orbit
  const Index* starts;                // first representative for each value of the leading bits
  Index lots;                         // number of these values
  int shift;                          // number of trailing bits ignored
  const std::uint8_t* kind_of;        // null if all are of the first kind
  const Index* first_rows;            // null if each orbit has one state
  const SymmetryAdaptedBasis::OrbitKind* kinds;
  const SiteModel::FlipTerm* moves = nullptr;
  int move_count = 0;
  const SiteModel::PauliZTerm* energies = nullptr;
  int energy_count = 0;

  /// Calls visit(column, value) for the elements of a row; a column may occur repeatedly.
  template <class Visit>
  CISOLVE_HOST_DEVICE void visit_elements(Index row, Visit visit) const {
    const Index orbit = orbit_of(row);
    const int v = static_cast<int>(row - first_row(orbit));
    const BasisState word = word_of(orbit);
    const SymmetryAdaptedBasis::OrbitKind& from = kind(orbit);
    visit(row, energy(word));
    constexpr int kTogether = 32;  // balances look-ups between neighbouring threads
    for (int first = 0; first < move_count; first += kTogether) {
      BasisState left = 0;
      for (int i = 0; i < kTogether && first + i < move_count; ++i)
        left |= BasisState{moves[first + i].acts_on(word) ? 1U : 0U} << i;
      for (; left != 0; left &= left - 1) {
        const SiteModel::FlipTerm move = moves[first + count_bits((left & (~left + 1)) - 1)];
        find(word ^ move.mask, from, v, move.value(word), visit);
      }
    }
  }

 private:
  CISOLVE_HOST_DEVICE Index first_row(Index orbit) const {
    return first_rows == nullptr ? orbit : first_rows[orbit];
  }
  CISOLVE_HOST_DEVICE BasisState word_of(Index orbit) const {
    return has_sector ? representatives[orbit] : words.word(orbit);
  }
  CISOLVE_HOST_DEVICE const SymmetryAdaptedBasis::OrbitKind& kind(Index orbit) const {
    return kinds[kind_of == nullptr ? 0 : kind_of[orbit]];
  }

  CISOLVE_HOST_DEVICE double energy(BasisState word) const {
    double sum = 0;
    for (int i = 0; i < energy_count; ++i)
      sum += is_odd(word & energies[i].mask) ? -energies[i].value : energies[i].value;
    return sum;
  }

  /// Lower bound: the first position whose value is not less.
  template <class T>
  CISOLVE_HOST_DEVICE static Index place_of(T value, const T* values, Index count) {
    Index first = 0;
    while (count > 0) {
      const Index half = count / 2;
      if (values[first + half] < value) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return first;
  }

  CISOLVE_HOST_DEVICE Index orbit_of(Index row) const {
    return first_rows == nullptr ? row : place_of(row + 1, first_rows, orbits + 1) - 1;
  }

  /// The orbit of this representative; -1 if it has no states.
  CISOLVE_HOST_DEVICE Index orbit_with(BasisState least) const {
    const auto lot = static_cast<Index>(least >> shift);
    if (lot >= lots) return -1;
    const Index first = starts[lot];
    const Index orbit = first + place_of(least, representatives + first, starts[lot + 1] - first);
    return orbit < starts[lot + 1] && representatives[orbit] == least ? orbit : -1;
  }

  template <class Visit>
  CISOLVE_HOST_DEVICE void find(BasisState word, const SymmetryAdaptedBasis::OrbitKind& from, int v,
                                double value, Visit& visit) const {
    if (!has_sector) return visit(words.number(word), value);
    const auto [least, operation] = rotations.least(word);
    const Index orbit = orbit_with(least);
    if (orbit < 0) return;
    const SymmetryAdaptedBasis::OrbitKind& to = kind(orbit);
    if (signs.changes(operation, word)) value = -value;
    for (int w = 0; w < to.states; ++w)
      visit(first_row(orbit) + w, to.factor(w, matrices[operation], from, v) * value);
  }
};

/// The arrays of this view in the memory of one backend.
class SiteModelTables {
 public:
  SiteModelTables(const SiteModelRows& rows, const base::Backend& backend);

  /// Replaces the model.
  void take(const SiteModel& model);

  const base::Backend& backend() const { return representatives_.backend(); }
  const SiteModelView& view() const { return view_; }
  /// Upper bound on the elements of a row, counting columns repeatedly.
  int most_elements() const { return 1 + most_states_ * view_.move_count; }
  Index bytes() const;

 private:
  base::Array<BasisState> representatives_;
  base::Array<Index> starts_;
  base::Array<std::uint8_t> kind_of_;
  base::Array<Index> first_rows_;
  base::Array<SymmetryAdaptedBasis::OrbitKind> kinds_;
  base::Array<SectorMatrix> matrices_;
  base::Array<SiteModel::FlipTerm> moves_;
  base::Array<SiteModel::PauliZTerm> energies_;
  base::Array<Index> smaller_;
  base::Array<Index> byte_offsets_;
  std::optional<SiteRotations> rotations_;
  std::optional<FermionSigns> signs_;
  int most_states_ = 1;  // states per orbit
  SiteModelView view_{};
};

}  // namespace cisolve::ci

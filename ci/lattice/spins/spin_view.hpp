#pragma once

#include "ci/lattice/sectors/order_signs.hpp"
#include "ci/lattice/sectors/place_turns.hpp"
#include "ci/lattice/spins/spin_rows.hpp"

namespace cisolve::ci {

/// A model in a basis, usable in kernels: the same elements as SiteRowWalk's, in the same order.
struct SpinView {
  SpinWordsView words;
  bool has_sector;
  PlaceTurnsView turns;
  OrderSignsView signs;
  const SectorMatrix* matrices;  // by operation
  Index rows;
  Index orbits;                     // with a sector
  const SpinWord* representatives;  // by orbit
  const Index* starts;              // first representative for each value of the leading bits
  Index lots;                       // number of these values
  int shift;                        // number of trailing bits ignored
  const std::uint8_t* kind_of;      // null if all are of the first kind
  const Index* first_rows;          // null if each orbit has one state
  const SpinBasis::Kind* kinds;
  const SpinModel::Move* moves = nullptr;
  int move_count = 0;
  const SpinModel::Energy* energies = nullptr;
  int energy_count = 0;

  /// Calls visit(column, value) for the elements of a row; a column may occur repeatedly.
  template <class Visit>
  CISOLVE_HOST_DEVICE void visit_elements(Index row, Visit visit) const {
    const Index orbit = orbit_of(row);
    const int v = static_cast<int>(row - first_row(orbit));
    const SpinWord word = word_of(orbit);
    const SpinBasis::Kind& from = kind(orbit);
    visit(row, energy(word));
    constexpr int kTogether = 32;  // balances look-ups between neighbouring threads
    for (int first = 0; first < move_count; first += kTogether) {
      SpinWord left = 0;
      for (int i = 0; i < kTogether && first + i < move_count; ++i)
        left |= SpinWord{moves[first + i].acts_on(word) ? 1U : 0U} << i;
      for (; left != 0; left &= left - 1) {
        const SpinModel::Move move = moves[first + count_bits((left & (~left + 1)) - 1)];
        find(word ^ move.mask, from, v, move.value(word), visit);
      }
    }
  }

 private:
  CISOLVE_HOST_DEVICE Index first_row(Index orbit) const {
    return first_rows == nullptr ? orbit : first_rows[orbit];
  }
  CISOLVE_HOST_DEVICE SpinWord word_of(Index orbit) const {
    return has_sector ? representatives[orbit] : words.word(orbit);
  }
  CISOLVE_HOST_DEVICE const SpinBasis::Kind& kind(Index orbit) const {
    return kinds[kind_of == nullptr ? 0 : kind_of[orbit]];
  }

  CISOLVE_HOST_DEVICE double energy(SpinWord word) const {
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
  CISOLVE_HOST_DEVICE Index orbit_with(SpinWord least) const {
    const auto lot = static_cast<Index>(least >> shift);
    if (lot >= lots) return -1;
    const Index first = starts[lot];
    const Index orbit = first + place_of(least, representatives + first, starts[lot + 1] - first);
    return orbit < starts[lot + 1] && representatives[orbit] == least ? orbit : -1;
  }

  template <class Visit>
  CISOLVE_HOST_DEVICE void find(SpinWord word, const SpinBasis::Kind& from, int v, double value,
                                Visit& visit) const {
    if (!has_sector) return visit(words.number(word), value);
    const auto [least, operation] = turns.least(word);
    const Index orbit = orbit_with(least);
    if (orbit < 0) return;
    const SpinBasis::Kind& to = kind(orbit);
    if (signs.changes(operation, word)) value = -value;
    for (int w = 0; w < to.states; ++w)
      visit(first_row(orbit) + w, to.factor(w, matrices[operation], from, v) * value);
  }
};

/// The arrays of this view in the memory of one backend.
class SpinTables {
 public:
  SpinTables(const SpinRows& rows, const base::Backend& backend);

  /// Replaces the model.
  void take(const SpinModel& model);

  const base::Backend& backend() const { return representatives_.backend(); }
  const SpinView& view() const { return view_; }
  /// Upper bound on the elements of a row, counting columns repeatedly.
  int most_elements() const { return 1 + most_states_ * view_.move_count; }
  Index bytes() const;

 private:
  base::Array<SpinWord> representatives_;
  base::Array<Index> starts_;
  base::Array<std::uint8_t> kind_of_;
  base::Array<Index> first_rows_;
  base::Array<SpinBasis::Kind> kinds_;
  base::Array<SectorMatrix> matrices_;
  base::Array<SpinModel::Move> moves_;
  base::Array<SpinModel::Energy> energies_;
  base::Array<Index> smaller_;
  base::Array<Index> shares_;
  std::optional<PlaceTurns> turns_;
  std::optional<OrderSigns> signs_;
  int most_states_ = 1;  // per orbit
  SpinView view_{};
};

}  // namespace cisolve::ci

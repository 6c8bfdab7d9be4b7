#pragma once

#include <algorithm>
#include <cmath>

#include "ci/selected/heat_bath.hpp"

namespace cisolve::ci {

/// The work of for_each_connection for one determinant.
template <int W, class Visit>
class ConnectionWalk {
 public:
  ConnectionWalk(const HeatBathView& tables, const PackedDeterminant<W>& from, double at_least,
                 double below, Visit& visit)
      : tables_(tables), from_(from), at_least_(at_least), below_(below), visit_(visit) {
    counts_[0] = from.alpha.write_orbitals(occupied_[0]);
    counts_[1] = from.beta.write_orbitals(occupied_[1]);
  }

  void run() {
    for (const Spin spin : {Spin::alpha, Spin::beta}) {
      walk_singles(spin);
      walk_same_spin(spin);
    }
    walk_opposite_spin();
  }

 private:
  static int index(Spin spin) { return static_cast<int>(spin); }
  const OrbitalBits<W>& string(Spin spin) const {
    return spin == Spin::alpha ? from_.alpha : from_.beta;
  }
  PackedDeterminant<W> with(Spin spin, const OrbitalBits<W>& changed) const {
    return spin == Spin::alpha ? PackedDeterminant<W>{changed, from_.beta}
                               : PackedDeterminant<W>{from_.alpha, changed};
  }
  /// Index of the first |value| < below_ in a list of descending |value|.
  Index skip_larger(const double* values, Index begin, Index end) const {
    if (begin == end || std::abs(values[begin]) < below_) return begin;
    return std::partition_point(values + begin, values + end,
                                [&](double value) { return !(std::abs(value) < below_); }) -
           values;
  }

  void walk_singles(Spin spin) {
    const HeatBathView::SingleSpin& table = tables_.singles[index(spin)];
    const OrbitalBits<W>& own = string(spin);
    const int n = tables_.orbitals;
    for (int i = 0; i < counts_[index(spin)]; ++i) {
      const int p = occupied_[index(spin)][i];
      for (int k = 0; k < n - 1; ++k) {
        const int r = table.by_bounds[Index{p} * (n - 1) + k];
        if (table.bounds[Index{p} * n + r] < at_least_) break;
        if (own.has(r)) continue;
        const int other = 1 - index(spin);
        const double size =
            std::abs(tables_.single_value(spin, occupied_[index(spin)], counts_[index(spin)],
                                          occupied_[other], counts_[other], p, r));
        if (size >= at_least_ && size < below_ && size != 0)
          visit_(with(spin, own.flipped(p).flipped(r)), size);
      }
    }
  }

  void walk_same_spin(Spin spin) {
    const HeatBathView::SameSpin& table = tables_.same_spin[index(spin)];
    const OrbitalBits<W>& own = string(spin);
    for (int j = 1; j < counts_[index(spin)]; ++j)
      for (int i = 0; i < j; ++i) {
        const int p = occupied_[index(spin)][i];
        const int q = occupied_[index(spin)][j];
        const Index list = HeatBathView::pair_of(p, q);
        const Index end = table.begins[list + 1];
        for (Index k = skip_larger(table.values, table.begins[list], end); k < end; ++k) {
          const double size = std::abs(table.values[k]);
          if (size < at_least_) break;
          const int r = table.targets[k] & 255;
          const int s = table.targets[k] >> 8;
          if (own.has(r) || own.has(s)) continue;
          visit_(with(spin, own.flipped(p).flipped(q).flipped(r).flipped(s)), size);
        }
      }
  }

  void walk_opposite_spin() {
    const HeatBathView::OppositeSpin& table = tables_.opposite_spin;
    const int n = tables_.orbitals;
    for (int i = 0; i < counts_[0]; ++i) {
      const int p = occupied_[0][i];
      for (int k = 0; k < n - 1; ++k) {
        const int r = table.by_largest[Index{p} * (n - 1) + k];
        if (table.largest[Index{p} * n + r] < at_least_) break;
        if (from_.alpha.has(r)) continue;
        const OrbitalBits<W> alpha = from_.alpha.flipped(p).flipped(r);
        const Index lists = HeatBathView::unordered_pair(p, r) * n;
        for (int j = 0; j < counts_[1]; ++j)
          walk_opposite_list(table, lists, alpha, occupied_[1][j]);
      }
    }
  }

  void walk_opposite_list(const HeatBathView::OppositeSpin& table, Index lists,
                          const OrbitalBits<W>& alpha, int q) {
    const Index end = table.begins[lists + q + 1];
    for (Index k = skip_larger(table.values, table.begins[lists + q], end); k < end; ++k) {
      const double size = std::abs(table.values[k]);
      if (size < at_least_) break;
      const int s = table.targets[k];
      if (from_.beta.has(s)) continue;
      visit_(PackedDeterminant<W>{alpha, from_.beta.flipped(q).flipped(s)}, size);
    }
  }

  const HeatBathView& tables_;
  const PackedDeterminant<W>& from_;
  double at_least_;
  double below_;
  Visit& visit_;
  std::uint8_t occupied_[2][OrbitalBits<W>::kOrbitals];
  int counts_[2];
};

/// Calls visit(connected, |H|) for each determinant with at_least <= |H| < below, once. Elements
/// that are 0 connect nothing, nor do doubles below the tables' `least`. The work is proportional
/// to the visits, the pairs of electrons and the singles that their bounds do not exclude.
template <int W, class Visit>
void for_each_connection(const HeatBathView& tables, const PackedDeterminant<W>& from,
                         double at_least, double below, Visit&& visit) {
  if (!(at_least < below)) return;
  ConnectionWalk<W, Visit>(tables, from, at_least, below, visit).run();
}

}  // namespace cisolve::ci

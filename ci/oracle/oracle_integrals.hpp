#pragma once

#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::ci {

/// Index of the unordered pair (p, q) in a row-packed lower triangle.
constexpr Index packed_place(Index p, Index q) {
  const Index row = p > q ? p : q;
  const Index column = p + q - row;
  return (row * row + row) / 2 + column;
}

/// Integral look-up of the oracle in the packed arrays, with its own index arithmetic, so that it
/// shares no error with the builders. The integrals must outlive it.
class OracleIntegrals {
 public:
  explicit OracleIntegrals(const Integrals& integrals)
      : orbitals_(integrals.orbitals()),
        pairs_(packed_place(0, integrals.orbitals())),
        core_energy_(integrals.core_energy()),
        mixed_(integrals.spin_dependent() ? integrals.mixed_spin().data() : nullptr) {
    for (const Spin spin : {Spin::alpha, Spin::beta}) {
      one_[index(spin)] = integrals.one_electron(spin).data();
      same_[index(spin)] = integrals.same_spin(spin).data();
    }
  }

  int orbitals() const { return orbitals_; }
  bool spin_dependent() const { return mixed_ != nullptr; }
  double core_energy() const { return core_energy_; }

  /// h_pq of one spin.
  double one(Spin spin, int p, int q) const { return one_[index(spin)][packed_place(p, q)]; }

  /// (pq|rs) with p, q of spin `left` and r, s of spin `right`.
  double two(Spin left, int p, int q, Spin right, int r, int s) const {
    const Index bra = packed_place(p, q);
    const Index ket = packed_place(r, s);
    if (left == right || mixed_ == nullptr) return same_[index(left)][packed_place(bra, ket)];
    return left == Spin::alpha ? mixed_[bra * pairs_ + ket] : mixed_[ket * pairs_ + bra];
  }

 private:
  static std::size_t index(Spin spin) { return static_cast<std::size_t>(spin); }

  int orbitals_;
  Index pairs_;
  double core_energy_;
  std::array<const double*, 2> one_{};   // indexed by spin; equal pointers if restricted
  std::array<const double*, 2> same_{};  // indexed by spin
  const double* mixed_;                  // alpha pairs x beta pairs; null if restricted
};

}  // namespace cisolve::ci

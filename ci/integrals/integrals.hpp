#pragma once

#include <array>
#include <vector>

#include "base/array.hpp"
#include "base/types.hpp"

namespace cisolve::ci {

using base::Index;

enum class Spin { alpha = 0, beta = 1 };
constexpr Spin other(Spin spin) { return spin == Spin::alpha ? Spin::beta : Spin::alpha; }

inline constexpr int kMostOrbitals = 256;

/// The index of a pair p >= q or q >= p in a packed triangle.
constexpr Index pair_index(Index p, Index q) {
  return p >= q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p;
}

/// One- and two-electron integrals over real spatial orbitals, chemists' (pq|rs), and the core
/// energy. Restricted integrals are kept once; spin-dependent ones as aa, bb and ab blocks. Each
/// block has every symmetry that real orbitals give it.
class Integrals {
 public:
  Integrals(int orbitals, bool spin_dependent, const base::Backend& host);

  int orbitals() const { return orbitals_; }
  bool spin_dependent() const { return spin_dependent_; }
  double core_energy() const { return core_energy_; }
  void set_core_energy(double energy) { core_energy_ = energy; }

  /// h_pq of one spin.
  double one(Spin spin, int p, int q) const { return one_[block(spin)][pair_index(p, q)]; }
  void set_one(Spin spin, int p, int q, double value);

  /// (pq|rs) with p, q of spin `left` and r, s of spin `right`.
  double two(Spin left, int p, int q, Spin right, int r, int s) const {
    if (!spin_dependent_ || left == right)
      return same_[block(left)][pair_index(pair_index(p, q), pair_index(r, s))];
    return left == Spin::alpha ? mixed_[pair_index(p, q) * pairs_ + pair_index(r, s)]
                               : mixed_[pair_index(r, s) * pairs_ + pair_index(p, q)];
  }
  /// All h_pq of one spin, packed.
  const base::Array<double>& one_electron(Spin spin) const { return one_[block(spin)]; }
  /// All (pq|rs) of one spin, packed by pairs twice.
  const base::Array<double>& same_spin(Spin spin) const { return same_[block(spin)]; }
  /// All (pq|rs) with pq alpha and rs beta, pairs by pairs; empty where restricted.
  const base::Array<double>& mixed_spin() const { return mixed_; }
  void set_two(Spin left, int p, int q, Spin right, int r, int s, double value);

  /// The size of the largest one.
  double largest() const;

  /// Sets to 0 what is so small, absolutely and beside the largest integral, that it is the
  /// rounding of whatever made them: such integrals join what symmetry keeps apart. Returns how
  /// many there were.
  Index drop_noise();
  /// Sets to 0 what the irreps forbid, up to such a size. Returns how many there were.
  Index drop_forbidden(double most);

  /// XOR labels of the orbitals, 0 to 7; all 0 where there is no symmetry.
  const std::vector<int>& irreps() const { return irreps_; }
  void set_irreps(std::vector<int> irreps);

 private:
  std::size_t block(Spin spin) const {
    return spin_dependent_ ? static_cast<std::size_t>(spin) : 0;
  }
  int orbitals_;
  bool spin_dependent_;
  Index pairs_;
  double core_energy_ = 0;
  std::vector<int> irreps_;
  std::vector<base::Array<double>> one_;   // alpha [, beta]
  std::vector<base::Array<double>> same_;  // aa [, bb], packed twice
  base::Array<double> mixed_;              // ab, pairs x pairs; empty when restricted
};

}  // namespace cisolve::ci

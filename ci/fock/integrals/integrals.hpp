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

/// The index of the unordered pair (p, q) in a packed lower triangle.
constexpr Index pair_index(Index p, Index q) {
  return p >= q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p;
}

/// One- and two-electron integrals over real spatial orbitals in chemists' notation (pq|rs), and
/// the core energy; Hartree. Restricted integrals are stored once, spin-dependent ones as aa, bb
/// and ab blocks, with 8-fold (ab: 4-fold) permutational symmetry.
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
  /// All h_pq of one spin, a packed triangle.
  const base::Array<double>& one_electron(Spin spin) const { return one_[block(spin)]; }
  /// All (pq|rs) of one spin, a packed triangle over packed pairs.
  const base::Array<double>& same_spin(Spin spin) const { return same_[block(spin)]; }
  /// All (pq|rs) with pq alpha, rs beta, pairs x pairs; empty if restricted.
  const base::Array<double>& mixed_spin() const { return mixed_; }
  void set_two(Spin left, int p, int q, Spin right, int r, int s, double value);

  /// The largest |integral|; the core energy is not one.
  double largest() const;

  /// Sets integrals to 0 that are rounding noise, at most 1e-14 of the largest and 1e-12 Hartree,
  /// since they would connect what symmetry separates. Returns their number.
  Index drop_noise();
  /// Sets integrals to 0 that the irreps forbid and whose size is at most `most`. Returns their
  /// number.
  Index drop_forbidden(double most);

  /// XOR labels of the orbitals, 0 to 7; all 0 without symmetry.
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
  base::Array<double> mixed_;              // ab, pairs x pairs; empty if restricted
};

}  // namespace cisolve::ci

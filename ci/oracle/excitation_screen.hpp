#pragma once

#include <bit>
#include <cstdint>

#include "ci/fock/spaces/space.hpp"
#include "ci/oracle/oracle_integrals.hpp"

namespace cisolve::ci {

/// Bit sets of the excitations that can have an element: almost none on a lattice, one in eight in
/// a molecule of high symmetry. Excitations are symmetric and named by pairs of different orbitals:
/// (from, to) for a single, (both holes) -> (both particles) for a same-spin double. Orbitals
/// occupied in all strings of the space, or in none, have no bits. Used by the oracle alone.
class ExcitationScreen {
 public:
  ExcitationScreen(const Space& space, const OracleIntegrals& integrals, double threshold);

  /// The index of a pair of different orbitals.
  static constexpr Index pair(int p, int q) {
    return p > q ? Index{p} * (p - 1) / 2 + q : Index{q} * (q - 1) / 2 + p;
  }
  Index pairs() const { return pairs_; }
  /// 64-bit words per set.
  Index words() const { return words_; }

  /// Allowed single excitations.
  const base::Array<std::uint64_t>& singles(Spin spin) const { return singles_[index(spin)]; }
  /// The allowed pairs of particles, for each pair of holes.
  const base::Array<std::uint64_t>& doubles(Spin spin) const {
    return doubles_[restricted_ ? 0 : index(spin)];
  }
  /// The beta singles that may combine with each alpha single.
  const base::Array<std::uint64_t>& mixed() const { return mixed_; }
  /// Alpha singles with any such.
  const base::Array<std::uint64_t>& with_mixed() const { return with_mixed_; }

  bool has_single(Spin spin, Index pair) const { return has(singles(spin).data(), pair); }
  bool has_mixed(Index alpha_pair) const { return has(with_mixed_.data(), alpha_pair); }
  const std::uint64_t* doubles_from(Spin spin, Index pair) const {
    return doubles(spin).data() + pair * words_;
  }
  const std::uint64_t* mixed_with(Index alpha_pair) const {
    return mixed_.data() + alpha_pair * words_;
  }
  Index bytes() const;

  static bool has(const std::uint64_t* set, Index pair) {
    return (set[pair / 64] >> (pair % 64) & 1) != 0;
  }
  static void put(std::uint64_t* set, Index pair) {
    set[pair / 64] |= std::uint64_t{1} << (pair % 64);
  }

 private:
  static std::size_t index(Spin spin) { return static_cast<std::size_t>(spin); }
  void fill_singles(const OracleIntegrals& integrals, Spin spin);
  void fill_doubles(const OracleIntegrals& integrals, Spin spin, const String& changing);
  void fill_mixed(const OracleIntegrals& integrals);
  bool keeps(double value) const { return value > threshold_ || value < -threshold_; }
  int orbitals_;
  bool restricted_;
  double threshold_;
  Index pairs_;
  Index words_;
  std::array<String, 2> changing_;  // orbitals occupied in some strings and empty in others
  std::array<base::Array<std::uint64_t>, 2> singles_;
  std::array<base::Array<std::uint64_t>, 2> doubles_;
  base::Array<std::uint64_t> mixed_;
  base::Array<std::uint64_t> with_mixed_;
};

}  // namespace cisolve::ci

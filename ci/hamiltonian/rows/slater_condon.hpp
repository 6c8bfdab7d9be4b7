#pragma once

#include <vector>

#include "ci/fock/spaces/space.hpp"

// Slater-Condon rules for determinants that differ by one or two orbitals. Sums run over the common
// orbitals, ascending, so that <i|H|j> and <j|H|i> have the same bits. The builders use them; the
// oracle (ci/oracle) and the properties (ci/properties) have signs of their own, so that an error
// here is found there.
namespace cisolve::ci {

/// Number of occupied orbitals strictly between p and q.
inline int count_between(const String& string, int p, int q) {
  const int low = (p < q ? p : q) + 1;
  const int high = p < q ? q : p;
  const auto& words = string.words();
  int sum = 0;
  for (int w = low / 64; w <= high / 64 && w < String::kWords; ++w) {
    std::uint64_t inside = ~std::uint64_t{0};
    if (w == low / 64) inside <<= low % 64;
    if (w == high / 64) inside &= (std::uint64_t{1} << (high % 64)) - 1;
    sum += std::popcount(words[w] & inside);
  }
  return sum;
}

/// Whether a+_to a_from changes the sign: an odd number of electrons between the two.
inline bool is_odd(const String& string, int from, int to) {
  return (count_between(string, from, to) & 1) != 0;
}

/// h_pq + sum_k [(pq|kk) - (pk|kq)] over the other electrons of the string's own spin.
double single_value(const Integrals& integrals, Spin spin, std::span<const std::uint8_t> occupied,
                    int from, int to);

/// (p1 q1|p2 q2) - (p1 q2|p2 q1) for electrons that move from p1, p2 to q1, q2.
inline double double_value(const Integrals& integrals, Spin spin, int p1, int p2, int q1, int q2) {
  return integrals.two(spin, p1, q1, spin, p2, q2) - integrals.two(spin, p1, q2, spin, p2, q1);
}

/// The diagonal of the Hamiltonian, core energy included, from precomputed energies of strings. The
/// space must outlive it.
class HamiltonianDiagonal {
 public:
  HamiltonianDiagonal(const Space& space, const Integrals& integrals);
  double operator()(Index alpha, Index beta) const;
  // Terms: core, same-spin, and Coulomb (pp|qq) of an alpha and a beta electron.
  double core_energy() const { return core_energy_; }
  double string_energy(Spin spin, Index string) const {
    return (spin == Spin::alpha ? alpha_energy_ : beta_energy_)[string];
  }
  double coulomb(int p, int q) const { return coulomb_[Index{p} * space_.orbitals() + q]; }
  /// The whole diagonal in canonical order.
  base::Array<double> all() const;

 private:
  friend class RowTables;
  const Space& space_;
  double core_energy_;
  base::Array<double> alpha_energy_;
  base::Array<double> beta_energy_;
  std::vector<double> coulomb_;  // (pp|qq), p alpha, q beta
};

}  // namespace cisolve::ci

#pragma once

#include <array>

#include "base/block.hpp"
#include "base/small_matrix.hpp"
#include "ci/states/state_sums.hpp"

namespace cisolve::ci {

/// gamma_pq = <bra| a+_p a_q |ket>, for each spin. Symmetric where bra and ket are one state.
struct OneParticleDensity {
  explicit OneParticleDensity(int orbitals)
      : spin{base::SmallMatrix(orbitals, orbitals), base::SmallMatrix(orbitals, orbitals)} {}
  std::array<base::SmallMatrix, 2> spin;

  double operator()(Spin s, int p, int q) const { return spin[static_cast<std::size_t>(s)](p, q); }
  /// The sum over the spins.
  base::SmallMatrix spin_free() const;
};

/// `x`, `bra` and `ket` are vectors over the space in canonical order, in the memory of the sums'
/// backend; of the host where none are given.
OneParticleDensity one_particle_density(const StateSums& sums, const double* x);
OneParticleDensity one_particle_density(const Space& space, const double* x);
OneParticleDensity transition_density(const StateSums& sums, const double* bra, const double* ket);
OneParticleDensity transition_density(const Space& space, const double* bra, const double* ket);

/// Gamma_pqrs = <x| a+_p a+_r a_s a_q |x>, p and q of one spin, r and s of another or the same:
/// the order in which (pq|rs) multiplies it. Likewise between two states.
class TwoParticleDensity {
 public:
  /// The work is that of one to three products with the Hamiltonian; bytes() are held.
  TwoParticleDensity(const StateSums& sums, const double* x);
  TwoParticleDensity(const Space& space, const double* x);
  /// <bra| ... |ket>, on the host: twice the work.
  TwoParticleDensity(const Space& space, const double* bra, const double* ket);
  static Index bytes(int orbitals);

  double same(Spin spin, int p, int q, int r, int s) const;
  /// p and q alpha, r and s beta.
  double mixed(int p, int q, int r, int s) const {
    return mixed_[((Index{p} * orbitals_ + q) * orbitals_ + r) * orbitals_ + s];
  }
  double spin_free(int p, int q, int r, int s) const;
  /// <S^2> of a state of so many electrons, whose norm is 1.
  double spin_squared(int alphas, int betas) const;

 private:
  explicit TwoParticleDensity(const Space& space);  // zeros

  int orbitals_;
  std::array<base::Array<double>, 2> same_;  // by the pairs p > r and q > s
  base::Array<double> mixed_;
};

/// core + sum h_pq gamma_pq + 1/2 sum (pq|rs) Gamma_pqrs, of the state whose densities these are.
double energy(const Integrals& integrals, const OneParticleDensity& one,
              const TwoParticleDensity& two);

/// The sum of the absolute values of these terms: rounding of the energy is in proportion to it.
double energy_magnitude(const Integrals& integrals, const OneParticleDensity& one,
                        const TwoParticleDensity& two);

}  // namespace cisolve::ci

#pragma once

#include <array>

#include "base/block.hpp"
#include "base/small_matrix.hpp"
#include "ci/fock/spaces/space.hpp"

namespace cisolve::ci {

class StateSums;

/// gamma_pq = <bra| a+_p a_q |ket>, for each spin. Symmetric if bra and ket are the same state.
struct OneParticleDensity {
  explicit OneParticleDensity(int orbitals)
      : spin{base::SmallMatrix(orbitals, orbitals), base::SmallMatrix(orbitals, orbitals)} {}
  std::array<base::SmallMatrix, 2> spin;

  double operator()(Spin s, int p, int q) const { return spin[static_cast<std::size_t>(s)](p, q); }
  /// The sum over the spins.
  base::SmallMatrix spin_free() const;
};

/// `x`, `bra` and `ket`: vectors over the space in canonical order, in the memory of the backend of
/// `sums`, else of the host.
OneParticleDensity one_particle_density(const StateSums& sums, const double* x);
OneParticleDensity one_particle_density(const Space& space, const double* x);
OneParticleDensity transition_density(const StateSums& sums, const double* bra, const double* ket);
OneParticleDensity transition_density(const Space& space, const double* bra, const double* ket);

/// Gamma_pqrs = <x| a+_p a+_r a_s a_q |x>, p and q of one spin, r and s of either (chemists' order,
/// as (pq|rs)), and <x| ... |y> between two states.
class TwoParticleDensity {
 public:
  /// Costs one to three products with the Hamiltonian; holds bytes().
  TwoParticleDensity(const StateSums& sums, const double* x);
  TwoParticleDensity(const Space& space, const double* x);
  /// <bra| ... |ket>, on the host; twice the cost.
  TwoParticleDensity(const Space& space, const double* bra, const double* ket);
  static Index bytes(int orbitals);

  double same(Spin spin, int p, int q, int r, int s) const;
  /// p and q alpha, r and s beta.
  double mixed(int p, int q, int r, int s) const {
    return mixed_[((Index{p} * orbitals_ + q) * orbitals_ + r) * orbitals_ + s];
  }
  double spin_free(int p, int q, int r, int s) const;
  /// <S^2> of a normalised state with these numbers of electrons.
  double spin_squared(int alphas, int betas) const;

 private:
  explicit TwoParticleDensity(const Space& space);  // zeros

  int orbitals_;
  std::array<base::Array<double>, 2> same_;  // pairs p > r by pairs q > s
  base::Array<double> mixed_;
};

/// E = E_core + sum h_pq gamma_pq + 1/2 sum (pq|rs) Gamma_pqrs.
double energy(const Integrals& integrals, const OneParticleDensity& one,
              const TwoParticleDensity& two);

/// The sum of the absolute values of these terms, the scale of rounding errors of energy().
double energy_magnitude(const Integrals& integrals, const OneParticleDensity& one,
                        const TwoParticleDensity& two);

}  // namespace cisolve::ci

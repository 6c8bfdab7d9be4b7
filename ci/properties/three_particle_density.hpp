#pragma once

#include <span>

#include "base/backend.hpp"
#include "ci/fock/spaces/space.hpp"

// Densities of up to three particles, and contractions of four, of a state of full CI, summed over
// spins, with E_pq = sum over spins of a+_p a_q. Index order is that of rows: the last index is the
// fastest.
namespace cisolve::ci {

struct ThreeParticleDensity {
  std::span<double> one;    // [p][q] = <E_pq>
  std::span<double> two;    // [p][q][r][s] = <E_pq E_rs>
  std::span<double> three;  // [p][q][r][s][t][u] = <E_pq E_rs E_tu>
};

/// Contractions with integrals (pq|rs) of real orbitals, as strongly contracted NEVPT2 needs them.
struct FourParticleContractions {
  std::span<const double> two_body;  // (pq|rs)
  std::span<double> ca;              // [p][q][r][s][a][c] = sum_def (ce|df) <E_pq E_rs E_ae E_df>
  std::span<double> ac;              // [p][q][r][s][a][c] = sum_def (ae|df) <E_pq E_rs E_ec E_df>
};

/// Writes all n^2, n^4 and n^6 numbers. The vector is real and lies in the host's memory, as the
/// results do; the backend is where sums are taken.
void three_particle_density(const Space& space, const double* x, const base::Backend& backend,
                            const ThreeParticleDensity& density);

/// Writes both arrays of n^6 numbers. With little memory, determinants are visited several times.
void contract_four_particle_density(const Space& space, const double* x,
                                    const base::Backend& backend,
                                    const FourParticleContractions& contractions);

}  // namespace cisolve::ci

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "ci/fock/integrals/random_integrals.hpp"
#include "ci/fock/models/lattice_orbitals.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "ci/properties/density.hpp"
#include "sparse/formats/csr.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/solved.hpp"

// Truncated spaces embedded in full CI, and invariances.
namespace cisolve::ci {
namespace {

using test::kCanonical;
using test::kHost;

constexpr Sector kSector{.orbitals = 7, .alpha_electrons = 3, .beta_electrons = 3};

Integrals embedded_integrals(bool spin_dependent) {
  return random_integrals(
      {.orbitals = kSector.orbitals, .spin_dependent = spin_dependent, .coupling = 0.2, .seed = 9},
      kHost);
}

solver::Result solved(const Space& space, const Integrals& integrals, int states) {
  return test::solved(space, integrals, states, 1e-9);
}

sparse::Csr stored(const Space& space, const Integrals& integrals) {
  return sparse::build_csr(HamiltonianRows(space, integrals, kCanonical), kHost);
}

/// The spaces, from the reference alone to all of full CI.
std::vector<Space> rising_spaces() {
  const std::vector<Determinant> reference = {aufbau(3, 3)};
  std::vector<Space> spaces;
  for (int level = 0; level <= 6; ++level)
    spaces.push_back(excited_space(kSector, reference, levels_up_to(level), kHost));
  return spaces;
}

TEST(Embedding, TruncatedHamiltoniansAreSubmatricesOfFullCi) {
  for (const bool spin_dependent : {false, true}) {
    const Integrals integrals = embedded_integrals(spin_dependent);
    const Space whole = full_ci(kSector, kHost);
    const sparse::Csr all = stored(whole, integrals);
    for (const Space& part : rising_spaces()) {
      std::vector<Index> row_in_part(whole.dimension(), -1);
      for (Index row = 0; row < part.dimension(); ++row)
        row_in_part[*whole.row_of(part.determinant(row))] = row;
      const sparse::Csr h = stored(part, integrals);
      Index next = 0;
      for (Index i = 0; i < whole.dimension(); ++i) {
        if (row_in_part[i] < 0) continue;
        for (Index k = all.offsets[i]; k < all.offsets[i + 1]; ++k) {
          if (row_in_part[all.columns[k]] < 0) continue;
          ASSERT_EQ(h.columns[next], row_in_part[all.columns[k]]);
          ASSERT_NEAR(h.values[next++], all.values[k], 1e-14);
        }
      }
      ASSERT_EQ(next, h.nonzeros());
    }
  }
}

TEST(Embedding, EnergiesFallToThoseOfFullCiAsTheLevelRises) {
  const Integrals integrals = embedded_integrals(false);
  const double whole = solved(full_ci(kSector, kHost), integrals, 1).states[0].energy;
  double before = std::numeric_limits<double>::infinity();
  double energy = before;
  int level = 0;
  for (const Space& space : rising_spaces()) {
    energy = solved(space, integrals, 1).states[0].energy;
    EXPECT_LT(energy, before + 1e-10) << "level " << level;
    EXPECT_GT(energy, whole - 1e-10) << "level " << level;
    if (level++ == 2) {
      EXPECT_GT(energy, whole + 1e-6) << "CISD is not all";
    }
    before = energy;
  }
  EXPECT_NEAR(energy, whole, 1e-10);
}

TEST(Embedding, EnergiesFromDensitiesAreTheEigenvalues) {
  for (const bool spin_dependent : {false, true}) {
    const Integrals integrals = embedded_integrals(spin_dependent);
    for (const Space& space : rising_spaces()) {
      const int states = static_cast<int>(std::min<Index>(3, space.dimension()));
      const solver::Result result = solved(space, integrals, states);
      for (int j = 0; j < states; ++j) {
        const double* x = result.vectors.block().column(j);
        EXPECT_NEAR(energy(integrals, one_particle_density(space, x), TwoParticleDensity(space, x)),
                    result.states[j].energy, 1e-9);
      }
    }
  }
}

/// A random orthogonal matrix.
OrbitalBasis turned_orbitals(int orbitals, std::uint64_t seed) {
  Eigen::MatrixXd random(orbitals, orbitals);
  for (int p = 0; p < orbitals; ++p)
    for (int q = 0; q < orbitals; ++q)
      random(p, q) = base::symmetric_interval(base::mix(seed, p * orbitals + q));
  const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(random).householderQ();
  OrbitalBasis basis{orbitals, {}, std::vector<int>(orbitals, 0)};
  for (int p = 0; p < orbitals; ++p)
    for (int i = 0; i < orbitals; ++i) basis.coefficients.push_back(q(i, p));
  return basis;
}

TEST(Embedding, OrbitalRotationsChangeTruncatedButNotFullCi) {
  const std::vector<Determinant> reference = {aufbau(3, 3)};
  for (const bool spin_dependent : {false, true}) {
    const Integrals before = embedded_integrals(spin_dependent);
    const Integrals after = rotated(before, turned_orbitals(kSector.orbitals, 4), kHost);
    const Space whole = full_ci(kSector, kHost);
    const solver::Result old_states = solved(whole, before, 4);
    const solver::Result new_states = solved(whole, after, 4);
    for (int j = 0; j < 4; ++j)
      EXPECT_NEAR(new_states.states[j].energy, old_states.states[j].energy, 1e-9);
    const Space cisd = excited_space(kSector, reference, levels_up_to(2), kHost);
    EXPECT_GT(std::abs(solved(cisd, after, 1).states[0].energy -
                       solved(cisd, before, 1).states[0].energy),
              1e-3);
  }
}

}  // namespace
}  // namespace cisolve::ci

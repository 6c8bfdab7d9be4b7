#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ci/fock/counting/counting.hpp"
#include "ci/fock/models/electron_models.hpp"
#include "ci/fock/models/lattice_orbitals.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/fock/strings/window.hpp"
#include "io/molecules/determinant_list.hpp"
#include "io/molecules/fcidump.hpp"
#include "io/molecules/trexio.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/solved.hpp"

// Energies from files and models: references of PySCF in tests/data/references.json and of other
// projects, and one energy by different methods.
namespace cisolve {
namespace {

using base::Index;
using ci::Sector;

const base::Backend kHost = base::Backend::openmp();
const std::filesystem::path kRoot = CISOLVE_SOURCES;

double lowest(const ci::Space& space, const ci::Integrals& integrals) {
  return test::solved(space, integrals, 1).states[0].energy;
}

Sector sector_of(const io::MolecularProblem& problem, std::optional<int> irrep = std::nullopt) {
  const ci::Integrals& integrals = problem.integrals;
  return {integrals.orbitals(), problem.alpha, problem.beta, integrals.irreps(), irrep};
}

double full_ci_energy(const io::MolecularProblem& problem,
                      std::optional<int> irrep = std::nullopt) {
  const Sector sector = sector_of(problem, irrep);
  const ci::Space space = ci::full_ci(sector, kHost);
  EXPECT_EQ(space.dimension(), ci::count_full_ci(sector).determinants);
  return lowest(space, problem.integrals);
}

TEST(Energies, WaterHasPyscfsEnergyFromEitherFile) {
  const auto dump = io::read_fcidump(kRoot / "tests/data/h2o_sto3g.fcidump", {}, kHost);
  const auto trexio = io::read_trexio(kRoot / "tests/data/h2o_sto3g.trexio.h5", {}, kHost);
  EXPECT_NEAR(full_ci_energy(dump), -75.01257824109203, 1e-9);
  EXPECT_NEAR(full_ci_energy(dump, 0), -75.01257824109203, 1e-9);
  EXPECT_NEAR(full_ci_energy(trexio), -75.01257824109203, 1e-9);
  const Sector sector = sector_of(dump);
  const std::vector<ci::Determinant> reference = {ci::aufbau(5, 5)};
  const ci::Space cisd = ci::excited_space(sector, reference, ci::levels_up_to(2), kHost);
  EXPECT_NEAR(lowest(cisd, dump.integrals), -75.01187316962857, 1e-9);
}

TEST(Energies, SpinDependentIntegralsGivePyscfsEnergy) {
  const auto problem = io::read_fcidump(kRoot / "tests/data/oh_uhf.fcidump", {}, kHost);
  EXPECT_TRUE(problem.integrals.spin_dependent());
  EXPECT_NEAR(full_ci_energy(problem), -74.38718474406056, 1e-9);
}

TEST(Energies, StretchedNitrogenIsTotallySymmetric) {
  const auto problem = io::read_fcidump(kRoot / "configs/n2_stretched.fcidump", {}, kHost);
  EXPECT_NEAR(full_ci_energy(problem), -107.45515559775532, 1e-9);
  EXPECT_NEAR(full_ci_energy(problem, 0), -107.45515559775532, 1e-9);
  EXPECT_GT(full_ci_energy(problem, 4), -107.45);
}

TEST(Energies, WaterOfTheExamplesHasPyscfsEnergy) {
  const auto problem = io::read_fcidump(kRoot / "configs/h2o.fcidump", {}, kHost);
  const std::vector<ci::Determinant> reference = {ci::aufbau(5, 5)};
  const ci::Space cisd =
      ci::excited_space(sector_of(problem, 0), reference, ci::levels_up_to(2), kHost);
  EXPECT_NEAR(lowest(cisd, problem.integrals), -76.1140864983541, 1e-9);
}

TEST(Energies, AFrozenCoreHasTheEnergyOfItsListOfDeterminants) {
  const auto whole = io::read_fcidump(kRoot / "tests/data/h2o_sto3g.fcidump", {}, kHost);
  const ci::Window window = ci::make_window(7, 1, std::vector<int>{2, 3, 4, 5, 7});
  const auto [alpha, beta] = ci::electrons_in(window, whole.alpha, whole.beta);
  const ci::Integrals folded = ci::fold_frozen_core(whole.integrals, window, kHost);
  const ci::Space inner = ci::full_ci({5, alpha, beta}, kHost);
  std::vector<ci::Determinant> listed;
  const ci::Space all = ci::full_ci(sector_of(whole), kHost);
  for (Index row = 0; row < all.dimension(); ++row) {
    const ci::Determinant d = all.determinant(row);
    if (d.alpha.has(0) && d.beta.has(0) && !d.alpha.has(5) && !d.beta.has(5)) listed.push_back(d);
  }
  const ci::Space outer = ci::list_space(sector_of(whole), listed, kHost);
  EXPECT_EQ(inner.dimension(), outer.dimension());
  EXPECT_NEAR(lowest(inner, folded), lowest(outer, whole.integrals), 1e-10);
}

TEST(Energies, TheDeterminantsOfATrexioFileAreASpace) {
  const std::filesystem::path file = kRoot / "tests/data/h2o_sto3g.trexio.h5";
  const auto problem = io::read_trexio(file, {}, kHost);
  const auto list = io::read_determinants(file, {7, 5, 5}, kHost);
  const ci::Space space = ci::list_space(sector_of(problem), list, kHost);
  // Brillouin's theorem: single excitations do not change the Hartree-Fock energy.
  EXPECT_NEAR(lowest(space, problem.integrals), -74.96302313846284, 1e-8);
}

/// Eight sites with U = 2 t, computed by another project; in standing waves, the ground state is
/// the lowest of the chain's four irreps.
TEST(Energies, AHubbardChainHasTheSameEnergyInSitesAndStandingWaves) {
  const ci::LatticeShape chain{8, 1, false, false};
  const ci::Integrals sites = ci::hubbard({.shape = chain, .t = 1, .u = 2}, kHost);
  const ci::Integrals waves = ci::rotated(sites, ci::standing_waves(chain), kHost);
  EXPECT_NEAR(lowest(ci::full_ci({8, 4, 4}, kHost), sites), -6.225634144682, 1e-9);
  double least = std::numeric_limits<double>::infinity();
  for (const int irrep : {0, 1})
    least = std::min(least, lowest(ci::full_ci({8, 4, 4, waves.irreps(), irrep}, kHost), waves));
  EXPECT_NEAR(least, -6.225634144682, 1e-9);
}

/// Lieb and Wu: the energy a site of a half-filled chain tends to that of the endless one, from
/// below for closed-shell rings (4 n + 2 sites) and from above for open chains.
TEST(Energies, HubbardChainsApproachTheInfiniteChain) {
  const double u = 4;
  const double endless = -0.573729366;  // -4 times Lieb and Wu's integral
  const auto per_site = [&](int sites, bool periodic) {
    const ci::LatticeShape shape{sites, 1, periodic, false};
    const ci::Integrals model = ci::hubbard({.shape = shape, .t = 1, .u = u}, kHost);
    return lowest(ci::full_ci({sites, sites / 2, sites / 2}, kHost), model) / sites;
  };
  const double open4 = per_site(4, false);
  const double open6 = per_site(6, false);
  const double open8 = per_site(8, false);
  EXPECT_GT(open4, open6);
  EXPECT_GT(open6, open8);
  EXPECT_GT(open8, endless);
  EXPECT_LT(per_site(6, true), endless);
  // The ends of an open chain cost a constant: two more sites add the bulk energy.
  EXPECT_NEAR((8 * open8 - 6 * open6) / 2, endless, 0.01);
}

TEST(Energies, AHeaderlessDumpGivesItsPublishedCisdEnergy) {
  const std::filesystem::path file = test::reference_data() / "h2o_ccpvdz_headerless.dat";
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << "no reference data: " << file.filename().string();
  const auto problem = io::read_fcidump(file, {.electrons = 10}, kHost);
  const std::vector<ci::Determinant> reference = {ci::aufbau(5, 5)};
  const ci::Space cisd =
      ci::excited_space(sector_of(problem), reference, ci::levels_up_to(2), kHost);
  EXPECT_NEAR(lowest(cisd, problem.integrals), -76.23197835987, 1e-9);
}

}  // namespace
}  // namespace cisolve

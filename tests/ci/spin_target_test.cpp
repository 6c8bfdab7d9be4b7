#include "ci/lattice/spins/spin_target.hpp"

#include <gtest/gtest.h>

#include "tests/ci/spin_systems.hpp"

namespace cisolve::ci {
namespace {

double s2_of(int twice_spin) { return 0.25 * twice_spin * (twice_spin + 2); }

/// A basis with its dense H and S^2.
struct DenseSpins {
  DenseSpins(SymmetryAdaptedBasis of, const std::vector<Term>& couplings)
      : basis(std::move(of)),
        terms(couplings),
        s2_terms(spin_squared_terms(basis.words().filling())),
        h(dense(SiteOracle(basis, terms))),
        s2(dense(SiteOracle(basis, s2_terms))) {
    s2.diagonal().array() += fixed_spin_squared(basis.words().filling());
  }

  /// The reference: energies of H in an eigenspace of S^2.
  VectorXd energies(int twice_spin) const {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> all(s2);
    std::vector<Eigen::Index> kept;
    for (Eigen::Index i = 0; i < s2.cols(); ++i)
      if (std::abs(all.eigenvalues()[i] - s2_of(twice_spin)) < 1e-8) kept.push_back(i);
    if (kept.empty()) return {};
    const MatrixXd among = all.eigenvectors()(Eigen::all, kept);
    return eigenvalues(among.transpose() * h * among);
  }

  SymmetryAdaptedBasis basis;
  std::vector<Term> terms;
  std::vector<Term> s2_terms;
  MatrixXd h;
  MatrixXd s2;
};

/// Chains, rings and planes with all their symmetries, at several Ms.
std::vector<DenseSpins> sectors() {
  std::vector<DenseSpins> all;
  const auto add = [&](const LatticeShape& shape, int up, std::optional<WantedSymmetry> wanted) {
    const std::vector<Term> terms = coupled(shape, 1, 0.3);
    const int sites = shape.sites();
    std::optional<SymmetrySector> sector;
    if (wanted) sector = lattice_sector(spin_model(sites, terms), &shape, *wanted);
    const SymmetryAdaptedBasis basis(BasisStates(sites, up), sector, kTwoThreads);
    if (basis.dimension() > 0)
      all.emplace_back(SymmetryAdaptedBasis(BasisStates(sites, up), sector, kTwoThreads), terms);
  };
  for (int up = 0; up <= 7; ++up) add(chain_of(7, false), up, std::nullopt);
  for (const Index k : {0, 1, 3, 4})
    for (const int up : {4, 5, 6})
      for (const LatticeParity parity : {LatticeParity::even, LatticeParity::odd}) {
        WantedSymmetry wanted{.momentum = {k}};
        wanted.inversion = parity;
        add(chain_of(8), up, wanted);
        if (up != 4) continue;
        wanted.spin = parity;
        add(chain_of(8), up, wanted);
        add({4, 2, true, false}, up, WantedSymmetry{.momentum = {k % 4}, .spin = parity});
      }
  // Electrons with on-site and pair terms much larger than the hopping.
  const LatticeShape ring = chain_of(6);
  std::vector<Term> pairs_on_site = on_bonds(ring, 1, TermKind::hop, 0.1);
  std::vector<Term> pairs_on_bonds = pairs_on_site;
  append(pairs_on_site, on_sites(6, TermKind::repel_on_site, -50));
  append(pairs_on_bonds, on_bonds(ring, 1, TermKind::couple, -3));
  append(pairs_on_bonds, on_bonds(ring, 1, TermKind::repel, -9));
  for (const auto& [filling, terms] : {std::pair(ParticleNumbers{6, 2, 2}, pairs_on_site),
                                       {ParticleNumbers{6, 3, 2, false}, pairs_on_bonds}}) {
    const SymmetrySector sector =
        lattice_sector(electron_model(6, terms), &ring, {.momentum = {1}});
    all.emplace_back(SymmetryAdaptedBasis(BasisStates(filling), sector, kTwoThreads), terms);
  }
  return all;
}

TEST(SpinTarget, StatesOfASpinAreCountedWithoutABasis) {
  for (const DenseSpins& sector : sectors())
    for (int twice = 0; twice <= 10; ++twice)
      EXPECT_EQ(spin_dimension(sector.basis.words().filling(), sector.basis.sector(), twice),
                static_cast<double>(sector.energies(twice).size()))
          << sector.basis.words().filling().sites << ' ' << twice;
}

TEST(SpinTarget, EnergiesDifferByAtMostTheWidth) {
  for (const DenseSpins& sector : sectors()) {
    const VectorXd all = eigenvalues(sector.h);
    EXPECT_LE(all[all.size() - 1] - all[0],
              energy_width(model_of(sector.basis.words().filling(), sector.terms)));
  }
}

/// Both forms of the shift: for the smallest and the largest spin of a sector, and one in between.
TEST(SpinTarget, ShiftedStatesAreAboveAllStatesOfTheSpin) {
  int straight = 0;
  int squares = 0;
  for (const DenseSpins& sector : sectors()) {
    const SiteOracle h(sector.basis, sector.terms);
    const SiteOracle s2_oracle(sector.basis, sector.s2_terms);
    const ParticleNumbers& filling = sector.basis.words().filling();
    const double width = energy_width(model_of(filling, sector.terms));
    for (int twice = filling.spins() % 2; twice <= filling.spins(); twice += 2) {
      const VectorXd expected = sector.energies(twice);
      if (expected.size() == 0) continue;
      const SpinShift lift = spin_shift(filling, sector.basis.sector(), twice);
      ++(lift.is_square ? squares : straight);
      const VectorXd found =
          eigenvalues(dense(SpinShiftedOperator(h, s2_oracle, lift, 2 * width, kTwoThreads, 4)));
      for (Eigen::Index i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9);
      if (expected.size() == found.size()) continue;
      EXPECT_GT(found[expected.size()], expected[expected.size() - 1] + 0.9 * width);
    }
  }
  EXPECT_GT(straight, 20);
  EXPECT_GT(squares, 20);
}

}  // namespace
}  // namespace cisolve::ci

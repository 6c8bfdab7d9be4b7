#include <gtest/gtest.h>

#include <numeric>

#include "base/error.hpp"
#include "ci/fock/models/electron_models.hpp"
#include "ci/fock/spaces/singly_occupied.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "ci/lattice/spins/spin_target.hpp"
#include "tests/ci/spin_systems.hpp"

// Electrons on lattices in symmetry sectors against all determinants, which use no symmetry.
namespace cisolve::ci {
namespace {

/// Hopping electrons with repulsion or, without double occupancy, coupled spins.
struct Electrons {
  LatticeShape shape;
  int up;
  int down;
  bool allows_double_occupancy = true;

  ParticleNumbers filling() const { return {shape.sites(), up, down, allows_double_occupancy}; }
  std::vector<Term> terms() const {
    std::vector<Term> all = on_bonds(shape, 1, TermKind::hop, 1);
    append(all, on_bonds(shape, 1, TermKind::repel, 0.3));
    append(all, on_sites(shape.sites(), TermKind::energy, 0.2));
    if (allows_double_occupancy)
      append(all, on_sites(shape.sites(), TermKind::repel_on_site, 3.5));
    else
      append(all, on_bonds(shape, 1, TermKind::couple, 0.7));
    return all;
  }
  SiteModel model() const { return electron_model(shape.sites(), terms()); }

  /// The reference: determinants, integrals and the Slater-Condon rules.
  VectorXd spectrum() const {
    const Integrals integrals = electrons_on(shape.sites(), terms(), kTwoThreads);
    const Sector sector{shape.sites(), up, down};
    const Space space = allows_double_occupancy ? full_ci(sector, kTwoThreads)
                                                : singly_occupied_space(sector, kTwoThreads);
    const Partition canonical(kTwoThreads);
    return eigenvalues(dense(HamiltonianRows(space, integrals, canonical)));
  }
  SymmetryAdaptedBasis basis(const WantedSymmetry& wanted) const {
    return {BasisStates(filling()), lattice_sector(model(), &shape, wanted), kTwoThreads};
  }
};

using Wanted = std::vector<WantedSymmetry>;

/// Each request with `key` even and odd.
Wanted both(const Wanted& all, std::optional<LatticeParity> WantedSymmetry::*key) {
  Wanted twice;
  for (WantedSymmetry wanted : all)
    for (const LatticeParity parity : {LatticeParity::even, LatticeParity::odd}) {
      wanted.*key = parity;
      twice.push_back(wanted);
    }
  return twice;
}

/// One momentum of each pair k, -k.
Wanted momenta(const LatticeShape& shape) {
  Wanted all;
  std::vector<std::vector<Index>> taken;
  const auto [columns, rows, layers] = shape.extents();
  for (Index x = 0; x < columns; ++x)
    for (Index y = 0; y < (shape.periodic_rows ? rows : 1); ++y) {
      std::vector<Index> k{x};
      std::vector<Index> reversed{(columns - x) % columns};
      if (shape.periodic_rows) {
        k.push_back(y);
        reversed.push_back((rows - y) % rows);
      }
      if (std::ranges::find(taken, reversed) != taken.end()) continue;
      taken.push_back(k);
      all.push_back({.momentum = k});
    }
  return all;
}

void expect_whole(const Electrons& electrons, const Wanted& sectors) {
  std::vector<double> all;
  for (const WantedSymmetry& wanted : sectors)
    append_all(all, spectrum_of(electrons.basis(wanted), electrons.terms()));
  expect_same(all, electrons.spectrum());
}

TEST(ElectronSectors, SpectraOfARingOverAllSectorsAreTheFullSpectrum) {
  for (const bool allows_double_occupancy : {true, false})
    for (const auto& [sites, up, down] : {std::array{3, 1, 1},
                                          {4, 2, 2},
                                          {4, 1, 2},
                                          {5, 2, 2},
                                          {5, 3, 1},
                                          {6, 2, 2},
                                          {6, 3, 2},
                                          {6, 3, 3}}) {
      if (!allows_double_occupancy && up + down > sites) continue;
      SCOPED_TRACE(
          base::concat(sites, " sites, ", up, "+", down, allows_double_occupancy ? "" : " apart"));
      const Electrons ring{chain_of(sites), up, down, allows_double_occupancy};
      expect_whole(ring, momenta(ring.shape));
      Wanted parities = both(momenta(ring.shape), &WantedSymmetry::inversion);
      if (up == down) parities = both(parities, &WantedSymmetry::spin);
      expect_whole(ring, parities);
    }
}

TEST(ElectronSectors, SpectraOfANetOverAllSectorsAreTheFullSpectrum) {
  const Electrons triangles{{3, 3, true, true, LatticeType::triangular}, 2, 1};
  expect_whole(triangles, both(momenta(triangles.shape), &WantedSymmetry::inversion));
  const Electrons single_occupancy{{3, 3, true, true}, 2, 3, false};
  expect_whole(single_occupancy, both(momenta(single_occupancy.shape), &WantedSymmetry::inversion));
  const Electrons ladder{{4, 2, true, false}, 2, 2};
  expect_whole(ladder,
               both(both(momenta(ladder.shape), &WantedSymmetry::rows), &WantedSymmetry::spin));
  const Electrons kagome{{2, 1, false, false, LatticeType::kagome}, 3, 3};
  expect_whole(kagome, both({{}}, &WantedSymmetry::spin));
  const Electrons plane{{3, 2, false, false}, 3, 3, false};
  expect_whole(plane, both(both(both({{}}, &WantedSymmetry::columns), &WantedSymmetry::rows),
                           &WantedSymmetry::spin));
}

TEST(ElectronSectors, CountStatesBeyondAnyBasis) {
  // 16 sites at half filling: the momenta of a chain add up to C(16, 8)^2 determinants.
  const Electrons ring{chain_of(16), 8, 8};
  double states = 0;
  for (Index k = 0; k <= 8; ++k)
    states += sector_dimension(lattice_sector(ring.model(), &ring.shape, {.momentum = {k}}),
                               ring.filling());
  EXPECT_EQ(states, 12870.0 * 12870.0);
}

TEST(ElectronSectors, BasisStatesAreConsecutive) {
  for (const ParticleNumbers& filling :
       {ParticleNumbers{5, 2, 3}, ParticleNumbers{5, 2, 2, false}, ParticleNumbers{4, 0, 2},
        ParticleNumbers{4, 4, 0, false}, ParticleNumbers{6, 3, 3, false},
        ParticleNumbers{3, 0, 0}}) {
    const BasisStates words(filling);
    std::vector<BasisState> expected;
    for (BasisState word = 0; word < BasisState{1} << filling.places(); ++word) {
      const BasisState upper = word >> filling.sites;
      const BasisState lower = word & all_up(filling.sites);
      if (std::popcount(lower) == *filling.up && std::popcount(upper) == *filling.down &&
          (filling.allows_double_occupancy || (lower & upper) == 0))
        expected.push_back(word);
    }
    ASSERT_EQ(words.count(), std::ssize(expected));
    BasisState word = words.word(0);
    for (Index i = 0; i < words.count(); ++i, word = words.next(word)) {
      EXPECT_EQ(word, expected[i]);
      EXPECT_EQ(words.word(i), expected[i]);
    }
  }
}

TEST(ElectronSectors, CorrelationsReproduceTheEnergyAndTheSpin) {
  for (const bool allows_double_occupancy : {true, false}) {
    const Electrons ring{chain_of(6), 2, 2, allows_double_occupancy};
    const SymmetryAdaptedBasis basis =
        ring.basis({.momentum = {0}, .columns = LatticeParity::even});
    const std::vector<Term> terms = ring.terms();
    const CorrelationFunctions found = correlations_of(basis, lowest_vector(basis, terms));
    double energy = 0;
    for (const Term& term : terms) energy += *found.mean(term);
    EXPECT_NEAR(energy, spectrum_of(basis, terms)[0], 1e-11);
    EXPECT_NEAR(std::accumulate(found.number.begin(), found.number.end(), 0.0), 4, 1e-12);
    EXPECT_NEAR(std::accumulate(found.charge.begin(), found.charge.end(), 0.0), 16, 1e-11);
    const MatrixXd s2 = dense(SiteModelRows(basis, spin_squared(ring.filling())));
    const VectorXd x = lowest_vector(basis, terms);
    EXPECT_NEAR(found.s2(), x.dot(s2 * x), 1e-11);
    EXPECT_NEAR(found.s2(), std::round(found.s2()), 1e-9);
  }
}

TEST(ElectronSectors, TotalSpinsAreCounted) {
  for (const bool allows_double_occupancy : {true, false}) {
    const Electrons ring{chain_of(6), 2, 2, allows_double_occupancy};
    for (const WantedSymmetry& wanted : both(momenta(ring.shape), &WantedSymmetry::spin)) {
      const SymmetryAdaptedBasis basis = ring.basis(wanted);
      const VectorXd s2 = eigenvalues(dense(SiteModelRows(basis, spin_squared(ring.filling()))));
      for (const int twice : {0, 2, 4, 6}) {
        const double expected = 0.25 * twice * (twice + 2);
        EXPECT_EQ(spin_dimension(ring.filling(), basis.sector(), twice),
                  ((s2.array() - expected).abs() < 1e-9).count())
            << twice;
      }
    }
  }
}

TEST(ElectronSectors, ImpossibleSectorsAreRefused) {
  const auto refused = [](const auto& call, const char* words) {
    try {
      call();
      ADD_FAILURE() << "expected a refusal with '" << words << "'";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::configuration);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused([] { electron_model(33, {}); }, "expected 1 to 32");
  refused(
      [] {
        electron_model(4, std::vector<Term>{{TermKind::field, 0, 0, 1}});
      },
      "the term h does not act on electrons");
  refused([] { BasisStates(ParticleNumbers{4, 2, 5}); }, "5 electrons down on 4 sites");
  refused(
      [] {
        BasisStates(ParticleNumbers{4, 3, 2, false});
      },
      "5 electrons on 4 sites without double occupation");
}

}  // namespace
}  // namespace cisolve::ci

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "tests/ci/spin_systems.hpp"
#include "tests/support/spin_oracle.hpp"
#include "tests/support/vectors.hpp"

namespace cisolve::ci {
namespace {

/// All sectors of momentum, with mirror and flip if they are compatible; pairs of momenta with a
/// mirror count one of two equal energies.
TEST(SymmetrySectorTest, SpectraOfARingOverAllSectorsAreTheFullSpectrum) {
  for (int sites = 4; sites <= 12; ++sites) {
    const LatticeShape ring = chain_of(sites);
    const std::vector<Term> terms = coupled(ring, 1, sites > 5 ? 0.3 : 0);
    const SiteModel model = spin_model(sites, terms);
    const int up = sites / 2;
    std::vector<double> all;
    for (Index k = 0; 2 * k <= sites; ++k)
      for (const LatticeParity mirror : {LatticeParity::even, LatticeParity::odd})
        for (const auto& flip : sites % 2 == 0
                                    ? std::vector<std::optional<LatticeParity>>{LatticeParity::even,
                                                                                LatticeParity::odd}
                                    : std::vector<std::optional<LatticeParity>>{std::nullopt}) {
          WantedSymmetry wanted{.momentum = {k}};
          wanted.inversion = mirror;
          wanted.spin = flip;
          const SymmetryAdaptedBasis basis(BasisStates(sites, up),
                                           lattice_sector(model, &ring, wanted), kTwoThreads);
          append_all(all, spectrum_of(basis, terms));
        }
    expect_same(all, spectrum_of(sites, up, terms));
  }
}

TEST(SymmetrySectorTest, MomentaWithoutAMirrorHaveBothSigns) {
  for (const int sites : {5, 6, 8}) {
    const LatticeShape ring = chain_of(sites);
    // Bonds to the right and to the left differ: no mirror.
    std::vector<Term> terms = coupled(ring);
    for (int i = 0; i < sites; ++i) {
      terms.push_back({TermKind::couple_z, i, (i + 1) % sites, 0.2});
      terms.push_back({TermKind::field, i, i, 0.15});
    }
    const SiteModel model = spin_model(sites, terms);
    std::vector<double> all;
    for (Index k = 0; 2 * k <= sites; ++k) {
      const SymmetryAdaptedBasis basis(BasisStates(sites, sites / 2),
                                       lattice_sector(model, &ring, {.momentum = {k}}),
                                       kTwoThreads);
      append_all(all, spectrum_of(basis, terms));
    }
    expect_same(all, spectrum_of(sites, sites / 2, terms));
  }
}

/// For any single symmetry the even and odd sectors together give the whole spectrum.
TEST(SymmetrySectorTest, BothParitiesOfEachNetGiveTheFullSpectrum) {
  using P = std::optional<LatticeParity> WantedSymmetry::*;
  const P inversion = &WantedSymmetry::inversion;
  const P columns = &WantedSymmetry::columns;
  const P rows = &WantedSymmetry::rows;
  const P layers = &WantedSymmetry::layers;
  const P exchange = &WantedSymmetry::exchange;
  const P flip = &WantedSymmetry::spin;
  const std::pair<LatticeShape, std::vector<P>> cases[] = {
      {{6, 1, false, false}, {inversion, flip}},
      {{4, 2, true, false}, {columns, rows, flip}},
      {{3, 3, true, true}, {columns, rows}},
      {{3, 3, false, false}, {columns, rows}},
      {{3, 3, false, false}, {exchange, inversion}},
      {{3, 3, true, true, LatticeType::triangular}, {exchange, inversion}},
      {{2, 2, false, false, LatticeType::kagome}, {exchange, flip}},
      {{2, 2, false, false, LatticeType::honeycomb}, {inversion, exchange}},
      {{2, 2, false, false, LatticeType::cubic, 2}, {layers, exchange, flip}}};
  for (const auto& [shape, keys] : cases) {
    const std::vector<Term> terms = coupled(shape);
    const int up = shape.sites() / 2;
    const SiteModel model = spin_model(shape.sites(), terms);
    std::vector<double> all;
    Index dimensions = 0;
    for (unsigned bits = 0; bits < 1U << keys.size(); ++bits) {
      WantedSymmetry wanted;
      for (std::size_t i = 0; i < keys.size(); ++i)
        wanted.*keys[i] = (bits >> i & 1) != 0 ? LatticeParity::odd : LatticeParity::even;
      const SymmetryAdaptedBasis basis(BasisStates(shape.sites(), up),
                                       lattice_sector(model, &shape, wanted), kTwoThreads);
      dimensions += basis.dimension();
      append_all(all, spectrum_of(basis, terms));
    }
    EXPECT_EQ(dimensions, BasisStates(shape.sites(), up).count());
    expect_same(all, spectrum_of(shape.sites(), up, terms));
  }
}

/// The flip conserves a field along x on one site: both parities together give the oracle's
/// spectrum.
TEST(SymmetrySectorTest, ATransverseFieldOnOneSiteHasBothParities) {
  for (int site = 0; site < 5; ++site) {
    std::vector<Term> terms = coupled(chain_of(5), 1, 0.3);
    terms.push_back({TermKind::field_x, site, site, 0.7});
    const SiteModel model = spin_model(5, terms);
    std::vector<double> all;
    for (const LatticeParity parity : {LatticeParity::even, LatticeParity::odd}) {
      WantedSymmetry wanted;
      wanted.spin = parity;
      const SymmetryAdaptedBasis basis(BasisStates(5, std::nullopt),
                                       lattice_sector(model, nullptr, wanted), kTwoThreads);
      EXPECT_EQ(basis.dimension(), 16);
      append_all(all, spectrum_of(basis, terms));
    }
    expect_same(all, eigenvalues(test::spin_matrix(5, terms)));
  }
}

/// Momenta of a torus, with pairs k, -k joined by the inversion; a strip of kagome has none.
TEST(SymmetrySectorTest, AllMomentaOfATorusGiveTheFullSpectrum) {
  const LatticeShape shapes[] = {{4, 3, true, true},
                                 {3, 3, true, true, LatticeType::triangular},
                                 {3, 1, true, false, LatticeType::kagome}};
  for (const LatticeShape& shape : shapes) {
    const std::vector<Term> terms = coupled(shape);
    const SiteModel model = spin_model(shape.sites(), terms);
    const int up = shape.sites() / 3;
    std::vector<double> all;
    std::vector<std::vector<Index>> taken;
    for (Index x = 0; x < shape.columns; ++x)
      for (Index y = 0; y < (shape.periodic_rows ? shape.rows : 1); ++y) {
        std::vector<Index> k{x};
        std::vector<Index> reversed{(shape.columns - x) % shape.columns};
        if (shape.periodic_rows) {
          k.push_back(y);
          reversed.push_back((shape.rows - y) % shape.rows);
        }
        if (std::ranges::find(taken, reversed) != taken.end()) continue;
        taken.push_back(k);
        const bool may_reflect = shape.net != LatticeType::kagome;
        for (const auto& parity :
             may_reflect ? std::vector<std::optional<LatticeParity>>{LatticeParity::even,
                                                                     LatticeParity::odd}
                         : std::vector<std::optional<LatticeParity>>{std::nullopt}) {
          WantedSymmetry wanted{.momentum = k};
          wanted.inversion = parity;
          const SymmetryAdaptedBasis basis(BasisStates(shape.sites(), up),
                                           lattice_sector(model, &shape, wanted), kTwoThreads);
          append_all(all, spectrum_of(basis, terms));
        }
      }
    expect_same(all, spectrum_of(shape.sites(), up, terms));
  }
}

/// For a pair of momenta with a mirror some orbits have one state and some two.
TEST(SymmetrySectorTest, MirrorsDivideAPairOfMomentaOnATorus) {
  const LatticeShape shape{3, 4, true, true};
  const std::vector<Term> terms = coupled(shape, 1, 0.3);
  const SiteModel model = spin_model(12, terms);
  for (const std::vector<Index>& k : {std::vector<Index>{1, 0}, {1, 2}, {0, 1}}) {
    const SymmetryAdaptedBasis pair(BasisStates(12, 5),
                                    lattice_sector(model, &shape, {.momentum = k}), kTwoThreads);
    std::vector<double> all;
    for (const LatticeParity columns : {LatticeParity::even, LatticeParity::odd})
      for (const LatticeParity rows : {LatticeParity::even, LatticeParity::odd}) {
        WantedSymmetry wanted{.momentum = k};
        wanted.columns = columns;
        wanted.rows = rows;
        append_all(all, spectrum_of(SymmetryAdaptedBasis(BasisStates(12, 5),
                                                         lattice_sector(model, &shape, wanted),
                                                         kTwoThreads),
                                    terms));
      }
    expect_same(all, spectrum_of(pair, terms));
  }
}

/// More words than one chunk, visited by threads in any order: the basis is always the same, of the
/// dimension by characters, or it would throw.
TEST(SymmetrySectorTest, LargeRingsHaveTheSameOrbitsEachTime) {
  const LatticeShape ring = chain_of(18);
  const SiteModel model = spin_model(18, coupled(ring));
  for (const Index k : {2, 4, 5, 6})
    for (const LatticeParity parity : {LatticeParity::even, LatticeParity::odd}) {
      WantedSymmetry wanted{.momentum = {k}};
      wanted.columns = parity;
      const SymmetrySector sector = lattice_sector(model, &ring, wanted);
      const SymmetryAdaptedBasis basis(BasisStates(18, 9), sector, kTwoThreads);
      EXPECT_EQ(static_cast<double>(basis.dimension()), sector_dimension(sector, {18, 9}));
      const SymmetryAdaptedBasis again(BasisStates(18, 9), sector, base::Backend::reference());
      for (Index orbit = 0; orbit < basis.orbits(); ++orbit) {
        ASSERT_EQ(basis.kind(orbit).states, again.kind(orbit).states);
        ASSERT_EQ(basis.kind(orbit).vectors, again.kind(orbit).vectors);
      }
    }
}

/// Matrices that form no representation: the dimensions from orbits and from characters disagree.
TEST(SymmetrySectorTest, AnIncompleteBasisIsRefused) {
  const LatticeShape ring = chain_of(4);
  SymmetrySector sector = lattice_sector(spin_model(4, coupled(ring)), &ring, {.momentum = {0}});
  ASSERT_EQ(sector.operations.size(), 4);
  sector.operations[1].matrix.of[0] = 0;
  sector.operations[2].matrix.of[0] = 0;
  EXPECT_THROW(SymmetryAdaptedBasis(BasisStates(4, std::nullopt), sector, kTwoThreads),
               base::Error);
}

// With operations that form no group, basis states are missed or counted twice.
TEST(SymmetrySectorTest, IncompleteOrbitsAreRefused) {
  const LatticeShape ring = chain_of(6);
  SymmetrySector sector = lattice_sector(spin_model(6, coupled(ring)), &ring, {.momentum = {0}});
  sector.operations.pop_back();
  try {
    const SymmetryAdaptedBasis basis(BasisStates(6, 3), sector, kTwoThreads);
    FAIL() << basis.dimension();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("26 basis states of 20"), std::string::npos)
        << error.what();
  }
}

TEST(SymmetrySectorTest, SomeRowsOfTheOracleEqualThoseOfAllRows) {
  const LatticeShape torus{4, 3, true, true};
  const std::vector<Term> terms = coupled(torus);
  const SiteModel model = spin_model(12, terms);
  for (const auto& sector :
       {std::optional<SymmetrySector>(),
        std::optional(lattice_sector(model, &torus, {.momentum = {1, 0}})),
        std::optional(
            lattice_sector(model, &torus, {.momentum = {0, 0}, .spin = LatticeParity::odd}))}) {
    const SymmetryAdaptedBasis basis(BasisStates(12, 6), sector, kTwoThreads);
    const SiteOracle direct(basis, terms);
    const base::MultiVector x = test::random_vectors(basis.dimension(), 1, 5);
    base::MultiVector y(kTwoThreads, basis.dimension(), 1);
    direct.apply(x.block(), y.block());
    std::vector<Index> rows = {0, 0, basis.dimension() - 1};
    for (Index row = 1; row < basis.dimension(); row += 3) rows.push_back(row);
    std::vector<double> found(rows.size());
    direct.multiply_rows(rows, x.block().column(0), found);
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(found[i], y(rows[i], 0)) << rows[i];
  }
}

// A rank has both rows of an orbit.
TEST(SymmetrySectorTest, SelectedRowsHaveTheBitsOfAllRows) {
  for (const int sites : {3, 12}) {
    const LatticeShape ring = chain_of(sites);
    const std::vector<Term> terms = coupled(ring);
    const SymmetrySector sector =
        lattice_sector(spin_model(sites, terms), &ring, {.momentum = {sites > 4 ? 1 : 0}});
    const SymmetryAdaptedBasis basis(BasisStates(sites, sites / 2), sector, kTwoThreads);
    SiteOracle direct(basis, terms);
    const base::MultiVector x = test::random_vectors(basis.dimension(), 2, 5);
    base::MultiVector all(kTwoThreads, basis.dimension(), 2);
    direct.apply(x.block(), all.block());
    for (const int ranks : {1, 2, 3, 7}) {
      const base::Layout layout = direct.row_layout(ranks);
      ASSERT_EQ(layout.rows(), basis.dimension());
      Index first = 0;
      for (int r = 0; r < ranks; ++r, first += layout.count(r - 1)) {
        direct.keep_rows(first, layout.count(r));
        base::MultiVector y(kTwoThreads, layout.count(r), 2);
        direct.apply(x.block(), y.block());
        for (int j = 0; j < 2; ++j)
          for (Index i = 0; i < y.rows(); ++i)
            ASSERT_EQ(y(i, j), all(first + i, j)) << "row " << first + i << ", rank " << r;
      }
    }
  }
}

// A basis that lacks orbits which the terms reach.
TEST(SymmetrySectorTest, TheOracleMarksALostOrbit) {
  const LatticeShape ring = chain_of(8);
  const std::vector<Term> terms = coupled(ring);
  const SymmetrySector sector = lattice_sector(spin_model(8, terms), &ring, {.momentum = {0}});
  const SymmetryAdaptedBasis basis(BasisStates(8, 4), sector, kTwoThreads);
  const std::vector<Term> leading_out = {{TermKind::field_x, 0, 0, 1}};
  const SiteOracle direct(basis, leading_out);
  const base::MultiVector x = test::random_vectors(basis.dimension(), 1, 5);
  base::MultiVector y(kTwoThreads, basis.dimension(), 1);
  direct.apply(x.block(), y.block());
  EXPECT_TRUE(std::isnan(y(0, 0)));
}

TEST(SymmetrySectorTest, KnownEnergiesAreInTheirSectors) {
  WantedSymmetry even{.momentum = {0}};
  even.inversion = LatticeParity::even;
  even.spin = LatticeParity::even;
  EXPECT_NEAR(lowest(chain_of(4), even), -2, 1e-12);
  WantedSymmetry odd{.momentum = {3}};
  odd.inversion = LatticeParity::even;
  odd.spin = LatticeParity::odd;
  EXPECT_NEAR(lowest(chain_of(6), odd), -(2 + std::sqrt(13)) / 2, 1e-12);
  WantedSymmetry plane{.momentum = {0, 0}};
  plane.columns = plane.rows = plane.exchange = plane.spin = LatticeParity::even;
  EXPECT_NEAR(lowest({4, 4, true, true}, plane), -11.228483208428, 1e-9);
}

TEST(SymmetrySectorTest, RefusesSymmetriesThatTheModelLacks) {
  const LatticeShape ring = chain_of(6);
  const LatticeShape open = chain_of(6, false);
  const LatticeShape plane{4, 3, true, true};
  std::vector<Term> marked = coupled(ring);
  marked.push_back({TermKind::field, 0, 0, 1});
  const SiteModel model = spin_model(6, coupled(ring));
  const SiteModel of_plane = spin_model(12, coupled(plane));
  const LatticeShape torus{3, 3, true, true};
  const SiteModel of_torus = spin_model(9, coupled(torus));
  WantedSymmetry both;  // the exchange maps one mirror to the other
  both.columns = both.exchange = LatticeParity::even;
  both.rows = LatticeParity::odd;
  const auto with = [](std::optional<LatticeParity> WantedSymmetry::*key,
                       std::vector<Index> momentum = {}) {
    WantedSymmetry wanted{.momentum = std::move(momentum)};
    wanted.*key = LatticeParity::even;
    return wanted;
  };
  const std::pair<std::function<void()>, const char*> calls[] = {
      {[&] { lattice_sector(model, &open, {.momentum = {0}}); }, "not periodic"},
      {[&] { lattice_sector(model, nullptr, {.momentum = {0}}); }, "sites without positions"},
      {[&] { lattice_sector(spin_model(6, marked), &ring, {.momentum = {0}}); }, "not the same"},
      {[&] { lattice_sector(spin_model(6, marked), &ring, with(&WantedSymmetry::spin)); },
       "up from down"},
      {[&] { lattice_sector(of_plane, &plane, with(&WantedSymmetry::exchange)); }, "not have this"},
      {[&] { lattice_sector(of_torus, &torus, both); }, "no state has this momentum"},
      {[&] {
         lattice_sector(of_plane, &plane, with(&WantedSymmetry::columns, {1, 1}));
       },
       "another one"},
  };
  for (const auto& [call, words] : calls) try {
      call();
      ADD_FAILURE() << "expected a refusal with '" << words << "'";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::configuration);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace cisolve::ci

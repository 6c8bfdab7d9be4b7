#include <gtest/gtest.h>

#include "base/error.hpp"
#include "ci/fock/models/electron_models.hpp"
#include "tests/ci/spin_systems.hpp"
#include "tests/support/spectrum.hpp"
#include "tests/support/spin_oracle.hpp"

namespace cisolve::ci {
namespace {

TEST(BasisStatesTest, AreNumberedConsecutively) {
  for (const int sites : {1, 2, 7, 8, 9, 13})
    for (int up = 0; up <= sites; ++up) {
      const BasisStates words(sites, up);
      BasisState word = words.word(0);
      for (Index i = 0; i < words.count(); ++i, word = words.next(word)) {
        ASSERT_EQ(std::popcount(word), up);
        ASSERT_EQ(word >> sites, 0);
        ASSERT_EQ(words.number(word), i);
        ASSERT_EQ(words.word(i), word);
      }
    }
}

TEST(BasisStatesTest, ReachTheEndsOfAWord) {
  for (const int up : {0, 1, 2, 31, 32, 63, 64}) {
    const BasisStates words(64, up);
    BasisState last = words.word(words.count() - 1);
    EXPECT_EQ(last, up == 0 ? 0 : ~BasisState{0} << (64 - up));
    EXPECT_EQ(words.number(last), words.count() - 1);
    EXPECT_EQ(words.number(words.word(words.count() / 3)), words.count() / 3);
    EXPECT_EQ(words.next(words.word(words.count() / 3)),
              up == 0 || up == 64 ? words.next(last) : words.word(words.count() / 3 + 1));
  }
  EXPECT_THROW(BasisStates(64, std::nullopt), base::Error);
  EXPECT_THROW(BasisStates(65, 1), base::Error);
  EXPECT_THROW(BasisStates(4, 5), base::Error);
}

TEST(SiteModelTest, HasTheSpectrumOfItsKroneckerProducts) {
  const std::vector<Term> terms = {
      {TermKind::couple, 0, 1, 1},      {TermKind::couple_x, 1, 2, 0.7},
      {TermKind::couple_y, 2, 3, -0.4}, {TermKind::couple_z, 3, 4, 1.3},
      {TermKind::couple_xy, 4, 0, 0.6}, {TermKind::field, 2, 2, 0.3},
      {TermKind::field_x, 1, 1, -0.2},  {TermKind::couple, 0, 3, 0.25},
      {TermKind::couple, 1, 0, 0.5}};
  const VectorXd found = spectrum_of(5, std::nullopt, terms);
  expect_same({found.begin(), found.end()}, eigenvalues(test::spin_matrix(5, terms)));
}

TEST(SiteModelTest, SectorsOfTheProjectionGiveTheFullSpectrum) {
  for (const LatticeShape& shape :
       {chain_of(6), chain_of(5, false), LatticeShape{3, 2, true, false},
        LatticeShape{2, 1, false, false, LatticeType::kagome}}) {
    std::vector<Term> terms = coupled(shape, 1, 0.4);
    append(terms, on_sites(shape.sites(), TermKind::field, 0.1));
    std::vector<double> all;
    for (int up = 0; up <= shape.sites(); ++up)
      append_all(all, spectrum_of(shape.sites(), up, terms));
    expect_same(all, eigenvalues(test::spin_matrix(shape.sites(), terms)));
  }
}

/// The states as those of electrons, one per site.
TEST(SiteModelTest, EqualsTheModelOfImmobileElectrons) {
  for (const int up : {3, 2}) {
    const std::vector<Term> terms = coupled({3, 2, false, false}, 0.8);
    const VectorXd electrons = test::spectrum(electrons_on(6, terms, kTwoThreads),
                                              one_electron_a_site(6, up, kTwoThreads));
    const VectorXd found = spectrum_of(6, up, terms);
    expect_same({found.begin(), found.end()}, electrons);
  }
}

TEST(SiteModelTest, DetectsItsSymmetries) {
  const SiteModel ring = spin_model(6, coupled(chain_of(6)));
  EXPECT_TRUE(ring.keeps_projection() && ring.keeps_flip() && ring.keeps_spin());
  EXPECT_TRUE(ring.keeps(std::vector<int>{1, 2, 3, 4, 5, 0}));
  EXPECT_FALSE(ring.keeps(std::vector<int>{1, 0, 2, 3, 4, 5}));
  const SiteModel in_field =
      spin_model(2, std::vector<Term>{{TermKind::couple, 0, 1, 1}, {TermKind::field, 0, 0, 1}});
  EXPECT_TRUE(in_field.keeps_projection());
  EXPECT_FALSE(in_field.keeps_flip() || in_field.keeps_spin());
  const SiteModel across = spin_model(2, std::vector<Term>{{TermKind::couple_x, 0, 1, 1}});
  EXPECT_FALSE(across.keeps_projection() || across.keeps_spin());
  EXPECT_TRUE(across.keeps_flip());
}

/// This holds for any position of the site among the bonds, and any other fields.
TEST(SiteModelTest, AFieldOnAnySiteBreaksSpinReversal) {
  for (int site = 0; site < 6; ++site)
    for (const double strength : {0.4, -1e-3}) {
      std::vector<Term> terms = coupled(chain_of(6));
      terms.push_back({TermKind::field, site, site, strength});
      const SiteModel along = spin_model(6, terms);
      EXPECT_TRUE(along.keeps_projection());
      EXPECT_FALSE(along.keeps_flip() || along.keeps_spin()) << site;
      terms.push_back({TermKind::field, (site + 1) % 6, (site + 1) % 6, -strength});
      EXPECT_FALSE(spin_model(6, terms).keeps_flip()) << site;
      const std::vector<Term> alone{{TermKind::field, site, site, strength}};
      EXPECT_FALSE(spin_model(6, alone).keeps_flip() || spin_model(6, alone).keeps_spin()) << site;
    }
}

/// The reference: the oracle's matrices with the state over all words.
TEST(CorrelationFunctionsTest, AgreeWithKroneckerProducts) {
  std::vector<Term> terms = coupled(chain_of(5, false));
  terms.push_back({TermKind::field, 1, 1, 0.7});
  terms.push_back({TermKind::field_x, 3, 3, 0.4});
  terms.push_back({TermKind::couple_x, 0, 4, 0.3});
  const SymmetryAdaptedBasis basis(BasisStates(5, std::nullopt), std::nullopt, kTwoThreads);
  const VectorXd x = lowest_vector(basis, terms);
  const CorrelationFunctions found = correlations_of(basis, x);
  // The oracle's first tensor factor is site 0, up first: its index is the complemented, reversed
  // word.
  VectorXd y(32);
  for (int word = 0; word < 32; ++word) {
    int place = 0;
    for (int site = 0; site < 5; ++site) place = 2 * place + ((word >> site & 1) != 0 ? 0 : 1);
    y[place] = x[word];
  }
  for (int a = 0; a < 5; ++a) {
    const std::vector<Term> z{{TermKind::field, a, a, 1}};
    EXPECT_NEAR(found.z[a], y.dot(test::spin_matrix(5, z) * y), 1e-12);
    for (int b = 0; b < a; ++b) {
      const std::vector<Term> dot{{TermKind::couple, a, b, 1}};
      const std::vector<Term> zz{{TermKind::couple_z, a, b, 1}};
      EXPECT_NEAR(found.dot_of(a, b), y.dot(test::spin_matrix(5, dot) * y), 1e-12);
      EXPECT_NEAR(found.zz[b * 5 + a], y.dot(test::spin_matrix(5, zz) * y), 1e-12);
    }
  }
}

/// Symmetry does not change the values of a non-degenerate state.
TEST(CorrelationFunctionsTest, AreInvariantUnderTheSymmetries) {
  const LatticeShape shapes[] = {chain_of(10), {4, 2, true, false}};
  for (const LatticeShape& shape : shapes) {
    const std::vector<Term> terms = coupled(shape, 1, 0.2);
    const int sites = shape.sites();
    const SymmetryAdaptedBasis whole(BasisStates(sites, sites / 2), std::nullopt, kTwoThreads);
    WantedSymmetry wanted{.momentum = {sites == 10 ? 5 : 0}};
    wanted.columns = LatticeParity::even;
    wanted.spin = sites == 10 ? LatticeParity::odd : LatticeParity::even;
    const SymmetryAdaptedBasis part(BasisStates(sites, sites / 2),
                                    lattice_sector(spin_model(sites, terms), &shape, wanted),
                                    kTwoThreads);
    const VectorXd x = lowest_vector(whole, terms);
    const VectorXd y = lowest_vector(part, terms);
    ASSERT_LE(6 * part.dimension(), whole.dimension());
    const CorrelationFunctions expected = correlations_of(whole, x);
    const CorrelationFunctions found = correlations_of(part, y);
    EXPECT_NEAR(found.s2(), 0, 1e-11);
    for (std::size_t i = 0; i < found.dot.size(); ++i) {
      EXPECT_NEAR(found.dot[i], expected.dot[i], 1e-11);
      EXPECT_NEAR(found.zz[i], expected.dot[i] / 3, 1e-11);
    }
  }
}

/// Averages over both states of a pair of momenta, whichever is described.
TEST(CorrelationFunctionsTest, OfAPairOfMomentaAreTheirMean) {
  const LatticeShape ring = chain_of(6);
  const std::vector<Term> terms = coupled(ring);
  const SiteModel model = spin_model(6, terms);
  const auto dot_of = [&](LatticeParity parity) {
    WantedSymmetry wanted{.momentum = {1}};
    wanted.inversion = parity;
    const SymmetryAdaptedBasis basis(BasisStates(6, 3), lattice_sector(model, &ring, wanted),
                                     kTwoThreads);
    return correlations_of(basis, lowest_vector(basis, terms));
  };
  const CorrelationFunctions even = dot_of(LatticeParity::even);
  const CorrelationFunctions odd = dot_of(LatticeParity::odd);
  for (std::size_t i = 0; i < even.dot.size(); ++i) EXPECT_NEAR(even.dot[i], odd.dot[i], 1e-11);
  double energy = 0;
  for (const auto& [kind, a, b, j] : terms) energy += j * even.dot_of(a, b);
  WantedSymmetry wanted{.momentum = {1}};
  wanted.inversion = LatticeParity::even;
  EXPECT_NEAR(energy, lowest(ring, wanted), 1e-11);
}

}  // namespace
}  // namespace cisolve::ci

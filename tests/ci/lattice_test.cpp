#include "ci/fock/models/electron_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "base/error.hpp"
#include "ci/fock/counting/counting.hpp"
#include "ci/fock/integrals/symmetry.hpp"
#include "ci/fock/models/lattice_orbitals.hpp"
#include "ci/fock/spaces/singly_occupied.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/spectrum.hpp"

namespace cisolve::ci {
namespace {

using test::kSerial;

LatticeShape chain(int sites, bool periodic = false) { return {sites, 1, periodic, false}; }

double ground_state(const Integrals& integrals, int alpha, int beta) {
  return test::full_ci_spectrum(integrals, alpha, beta)[0];
}

double hubbard_ground_state(const LatticeShape& shape, double t, double u, int alpha, int beta) {
  return ground_state(hubbard({.shape = shape, .t = t, .u = u}, kSerial), alpha, beta);
}

/// Coupled spins as electrons, one per site.
Eigen::VectorXd spins_of(const LatticeShape& shape, int up, double j = 1) {
  const Integrals model =
      electrons_on(shape.sites(), on_bonds(shape, 1, TermKind::couple, j), kSerial);
  return test::spectrum(model, one_electron_a_site(shape.sites(), up, kSerial));
}

TEST(LatticeTest, TwoSitesHaveTheirClosedForm) {
  for (const double u : {-3.0, 0.0, 1.0, 8.0})
    for (const double t : {1.0, -0.5})
      EXPECT_NEAR(hubbard_ground_state(chain(2), t, u, 1, 1),
                  (u - std::sqrt(u * u + 16 * t * t)) / 2, 1e-12);
}

TEST(LatticeTest, TwoSitesWithNeighbourRepulsionHaveTheirClosedForm) {
  const double u = 4;
  const double v = 1.5;
  const Integrals model = hubbard({.shape = chain(2), .t = 1, .u = u, .v = v}, kSerial);
  EXPECT_NEAR(ground_state(model, 1, 1), (u + v - std::sqrt((u - v) * (u - v) + 16)) / 2, 1e-12);
}

/// Without repulsion electrons fill the lowest orbitals.
TEST(LatticeTest, WithoutRepulsionOrbitalsAreFilledInOrder) {
  const LatticeShape shapes[] = {
      chain(6), chain(5, true), chain(6, true), {3, 2, false, false}, {3, 2, true, false}};
  for (const LatticeShape& shape : shapes) {
    const auto level = [](int length, bool periodic, int k) {
      return periodic ? -2 * std::cos(2 * std::numbers::pi * k / length)
                      : -2 * std::cos(std::numbers::pi * (k + 1) / (length + 1));
    };
    std::vector<double> levels;
    for (int x = 0; x < shape.columns; ++x)
      for (int y = 0; y < shape.rows; ++y)
        levels.push_back(level(shape.columns, shape.periodic_columns, x) +
                         (shape.rows == 1 ? 0 : level(shape.rows, shape.periodic_rows, y)));
    std::ranges::sort(levels);
    const double expected = std::accumulate(levels.begin(), levels.begin() + 3, 0.0) +
                            std::accumulate(levels.begin(), levels.begin() + 2, 0.0);
    EXPECT_NEAR(hubbard_ground_state(shape, 1, 0, 3, 2), expected, 1e-11);
  }
}

TEST(LatticeTest, WithoutHoppingDoubleOccupancyCostsU) {
  EXPECT_NEAR(hubbard_ground_state(chain(4), 0, 5, 3, 3), 10, 1e-12);
  EXPECT_NEAR(hubbard_ground_state(chain(4), 0, 5, 2, 2), 0, 1e-12);
  const Integrals charged = hubbard({.shape = chain(4, true), .t = 0, .u = 5, .v = 1}, kSerial);
  EXPECT_NEAR(ground_state(charged, 2, 2), 4, 1e-12);  // one per site: each of four bonds costs V
}

/// Strong repulsion gives a spin model, J = 4 t^2 / U. The Lieb-Wu energy of the infinite chain
/// tends to -4 ln 2 t^2 / U per site, from above for an open chain.
TEST(LatticeTest, StrongRepulsionLeavesAHeisenbergChain) {
  const double u = 400;
  const double j = 4 / u;
  const double spins =
      spins_of(chain(6), 3, j)[0] - j / 4 * 5;  // the effective model is J (S.S - 1/4)
  const double electrons = hubbard_ground_state(chain(6), 1, u, 3, 3);
  EXPECT_NEAR(electrons / spins, 1, 1e-4);
  EXPECT_GT(electrons / 6, -std::numbers::ln2 * j);
  EXPECT_LT(hubbard_ground_state(chain(6), 1, u, 3, 3) / 6,
            hubbard_ground_state(chain(4), 1, u, 2, 2) / 4);
}

TEST(LatticeTest, SpinChainsHaveTheirKnownEnergies) {
  EXPECT_NEAR(spins_of(chain(2), 1)[0], -0.75, 1e-12);
  EXPECT_NEAR(spins_of(chain(2), 1)[1], 0.25, 1e-12);
  EXPECT_NEAR(spins_of(chain(4, true), 2)[0], -2, 1e-12);
  EXPECT_NEAR(spins_of(chain(4), 2)[0], -(3 + 2 * std::sqrt(3)) / 4, 1e-12);
  EXPECT_NEAR(spins_of(chain(6, true), 3)[0], -(2 + std::sqrt(13)) / 2, 1e-12);
  EXPECT_NEAR(spins_of({2, 2, false, false}, 2)[0], -2, 1e-12);
}

TEST(LatticeTest, EachBondIsListedOnce) {
  EXPECT_EQ(bonds(chain(5)).size(), 4);
  EXPECT_EQ(bonds(chain(5, true)).size(), 5);
  EXPECT_EQ(bonds({4, 2, false, false}).size(), 10);
  EXPECT_EQ(bonds({4, 3, true, true}).size(), 24);
  EXPECT_EQ(bonds(chain(1)).size(), 0);
}

/// Bonds of periodic lattices: coordination number x sites / 2.
TEST(LatticeTest, NetsHaveTheirNeighbours) {
  struct Case {
    LatticeShape shape;
    int first;
    int second;  // bonds of each shell
  };
  const Case cases[] = {{chain(8, true), 8, 8},
                        {chain(6), 5, 4},
                        {chain(4, true), 4, 2},  // the opposite site, by either direction
                        {{5, 5, true, true}, 50, 50},
                        {{5, 2, true, false}, 15, 10},
                        {{5, 5, true, true, LatticeType::triangular}, 75, 75},
                        {{4, 4, true, true, LatticeType::honeycomb}, 48, 96},
                        {{3, 3, true, true, LatticeType::kagome}, 54, 54},
                        {{1, 1, false, false, LatticeType::kagome}, 3, 0},
                        {{5, 5, true, true, LatticeType::cubic, 5, true}, 375, 750}};
  for (const auto& [shape, first, second] : cases) {
    EXPECT_EQ(bonds(shape, 1).size(), first) << shape.sites();
    EXPECT_EQ(bonds(shape, 2).size(), second) << shape.sites();
  }
}

TEST(LatticeTest, SitesAndPlacesAreInverse) {
  const LatticeShape shapes[] = {{4, 3, true, false, LatticeType::honeycomb},
                                 {3, 4, true, true, LatticeType::kagome},
                                 {3, 3, true, true, LatticeType::cubic, 3, true}};
  for (const LatticeShape& shape : shapes)
    for (int site = 0; site < shape.sites(); ++site) {
      Place place = place_of(shape, site);
      EXPECT_EQ(site_at(shape, place), site);
      place[0] += shape.columns;
      EXPECT_EQ(site_at(shape, place), site);
      place[1] += 0.1;
      EXPECT_EQ(site_at(shape, place), -1);
    }
}

TEST(LatticeTest, TermsAreReadAndRefused) {
  const Term term = parse_term("  3 1\t-0.5e1 Jxy");
  EXPECT_EQ(term.kind, TermKind::couple_xy);
  EXPECT_EQ(term.first, 2);
  EXPECT_EQ(term.second, 0);
  EXPECT_EQ(term.strength, -5);
  EXPECT_EQ(parse_term("4 4 1 hx").kind, TermKind::field_x);
  for (const char* text : {"", "1 2 1", "1 2 1 J 3", "0 1 1 J", "1 257 1 J", "1 2 x J", "1 2 nan J",
                           "1 2 1 K", "1 1 1 J", "1 2 1 U", "1.5 2 1 J", "1 2 1e999 J"})
    EXPECT_THROW(parse_term(text), base::Error) << text;
}

/// All determinants without a doubly occupied site, in canonical order.
TEST(LatticeTest, TJSpacesHaveOnlySinglyOccupiedSites) {
  for (const auto& [sites, up, down] : {std::array{6, 2, 2}, {5, 3, 2}, {4, 0, 2}, {3, 0, 0}}) {
    std::vector<Determinant> expected;
    for (const Determinant& d : test::all_determinants(sites, up, down))
      if ((d.alpha & d.beta).empty()) expected.push_back(d);
    const Sector sector{.orbitals = sites, .alpha_electrons = up, .beta_electrons = down};
    const Space space = singly_occupied_space(sector, kSerial);
    EXPECT_EQ(singly_occupied_dimension(sector).to_index(), std::ssize(expected));
    ASSERT_EQ(space.dimension(), std::ssize(expected));
    for (const Determinant& d : expected) {
      const auto row = space.row_of(d);
      ASSERT_TRUE(row.has_value());
      EXPECT_EQ(space.determinant(*row), d);
    }
  }
  EXPECT_THROW(
      singly_occupied_space({.orbitals = 3, .alpha_electrons = 2, .beta_electrons = 2}, kSerial),
      base::Error);
}

/// Two electrons on a bond of a t-J model: a singlet at -J, three states at 0; a hole moves freely.
TEST(LatticeTest, TheTJModelHasItsClosedForms) {
  const double j = 0.4;
  std::vector<Term> terms = on_bonds(chain(2), 1, TermKind::hop, 1);
  append(terms, on_bonds(chain(2), 1, TermKind::couple, j));
  append(terms, on_bonds(chain(2), 1, TermKind::repel, -j / 4));
  const Integrals model = electrons_on(2, terms, kSerial);
  const Eigen::VectorXd pair = test::spectrum(model, one_electron_a_site(2, 1, kSerial));
  EXPECT_NEAR(pair[0], -j, 1e-12);
  EXPECT_NEAR(pair[1], 0, 1e-12);
  EXPECT_NEAR(test::full_ci_spectrum(model, 1, 0)[0], -1, 1e-12);
}

TEST(LatticeTest, RefusesImpossibleLattices) {
  const std::function<void()> calls[] = {
      [] {
        bonds({0, 1, false, false});
      },
      [] {
        bonds({257, 1, false, false});
      },
      [] {
        bonds({1 << 20, 1 << 20, false, false});
      },
      [] {
        bonds({2, 1, true, false});
      },
      [] {
        bonds({3, 3, false, false, LatticeType::square, 2});
      },
      [] {
        electrons_on(2, std::vector<Term>{{TermKind::couple_z, 0, 1, 1}}, kSerial);
      },
      [] {
        bonds({4, 2, false, true});
      },
      [] {
        positions({4, 3, true, false}, 2);
      },
      [] { pariser_parr_pople({.shape = chain(4), .u = 0}, kSerial); },
      [] {
        pariser_parr_pople({.shape = chain(4), .sites = {{0, 0, 0}}}, kSerial);
      },
      [] { one_electron_a_site(4, 5, kSerial); },
  };
  for (const auto& call : calls) EXPECT_THROW(call(), base::Error);
}

/// Closed form for ethylene: the two singlets of the ground state's symmetry, and the other two
/// states.
TEST(LatticeTest, EthyleneHasItsClosedForm) {
  for (const Repulsion repulsion : {Repulsion::ohno, Repulsion::mataga_nishimoto}) {
    const PariserParrPople model{.shape = chain(2), .repulsion = repulsion};
    const double r = model.spacing;
    const double g = repulsion == Repulsion::ohno ? 1 / std::sqrt(r * r + 1 / (model.u * model.u))
                                                  : 1 / (r + 1 / model.u);
    const double difference = model.u - g;
    const double root = std::sqrt(difference * difference + 16 * model.t * model.t);
    const Eigen::VectorXd found = test::full_ci_spectrum(pariser_parr_pople(model, kSerial), 1, 1);
    EXPECT_NEAR(found[0], (difference - root) / 2, 1e-12);
    EXPECT_NEAR(found[1], 0, 1e-12);
    EXPECT_NEAR(found[2], difference, 1e-12);
    EXPECT_NEAR(found[3], (difference + root) / 2, 1e-12);
  }
}

/// At large spacing neutral sites do not interact: the Hubbard limit.
TEST(LatticeTest, DistantNeutralSitesAreAHubbardChain) {
  const PariserParrPople model{.shape = chain(4), .t = 1, .u = 4, .spacing = 1e9};
  EXPECT_NEAR(ground_state(pariser_parr_pople(model, kSerial), 2, 2),
              hubbard_ground_state(chain(4), 1, 4, 2, 2), 1e-8);
}

TEST(LatticeTest, NeighboursOfAPiSystemAreOneSpacingApart) {
  for (const LatticeShape& shape : {chain(5), chain(6, true), LatticeShape{3, 2, false, false}}) {
    const std::vector<Position> at = positions(shape, 2.5);
    for (const auto& [a, b] : bonds(shape))
      EXPECT_NEAR(std::hypot(at[a].x - at[b].x, at[a].y - at[b].y), 2.5, 1e-12);
  }
}

TEST(LatticeTest, AnOpenPiSystemAlternates) {
  const std::vector<Position> at = positions(chain(6), 2);
  for (std::size_t i = 0; i + 2 < at.size(); ++i) {
    EXPECT_NEAR(at[i + 2].x - at[i].x, 2 * std::sqrt(3.0), 1e-12);  // angles of 120 degrees
    EXPECT_NEAR(at[i + 2].y, at[i].y, 1e-12);
  }
}

TEST(StandingWavesTest, KeepTheSpectrumAndBlockTheHamiltonian) {
  const LatticeShape shapes[] = {
      chain(5), chain(5, true), chain(6, true), {3, 2, false, false}, {3, 2, true, false}};
  for (const LatticeShape& shape : shapes) {
    const Integrals sites = hubbard({.shape = shape, .t = 1, .u = 3, .v = 0.5}, kSerial);
    const OrbitalBasis waves = standing_waves(shape);
    const Integrals momenta = rotated(sites, waves, kSerial);
    EXPECT_EQ(momenta.irreps(), waves.irreps) << "the labels are symmetries";
    EXPECT_GT(*std::ranges::max_element(waves.irreps), 0);
    for (int p = 0; p < shape.sites(); ++p)
      for (int q = 0; q < p; ++q) EXPECT_NEAR(momenta.one(Spin::alpha, p, q), 0, 1e-12);
    for (int p = 1; p < shape.sites(); ++p)
      EXPECT_LE(momenta.one(Spin::alpha, p - 1, p - 1), momenta.one(Spin::alpha, p, p) + 1e-9);
    const Eigen::VectorXd difference =
        test::full_ci_spectrum(sites, 2, 2) - test::full_ci_spectrum(momenta, 2, 2);
    EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST(StandingWavesTest, ATorusHasThreeOfItsFourSymmetries) {
  const LatticeShape torus{4, 4, true, true};
  const Integrals momenta =
      rotated(hubbard({.shape = torus, .t = 1, .u = 3}, kSerial), standing_waves(torus), kSerial);
  EXPECT_EQ(*std::ranges::max_element(momenta.irreps()), 7);
}

TEST(StandingWavesTest, LabelsThatAreNoSymmetryAreLeftOut) {
  Integrals model = hubbard({.shape = chain(4), .t = 1, .u = 3}, kSerial);
  model.set_one(Spin::alpha, 0, 0, 0.1);
  EXPECT_EQ(rotated(model, standing_waves(chain(4)), kSerial).irreps(), std::vector<int>(4, 0));
}

TEST(StandingWavesTest, RotationKeepsSpinDependentSpectra) {
  Integrals model(3, true, kSerial);
  for (int p = 0; p < 3; ++p) {
    model.set_one(Spin::alpha, p, p, 0.3 * p);
    model.set_one(Spin::beta, p, (p + 1) % 3, -0.7);
    model.set_two(Spin::alpha, p, p, Spin::beta, p, (p + 1) % 3, 0.4 + 0.1 * p);
    model.set_two(Spin::alpha, p, 0, Spin::alpha, p, 1, 0.2);
    model.set_two(Spin::beta, p, 2, Spin::beta, 1, 1, 0.6);
  }
  const Integrals in_standing_waves = rotated(model, standing_waves(chain(3)), kSerial);
  const Eigen::VectorXd difference =
      test::full_ci_spectrum(model, 2, 2) - test::full_ci_spectrum(in_standing_waves, 2, 2);
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace cisolve::ci

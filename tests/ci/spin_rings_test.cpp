#include <gtest/gtest.h>

#include "base/random.hpp"
#include "solver/methods/solve.hpp"
#include "tests/ci/spin_systems.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/spin_oracle.hpp"

// Rings, planes and graphs too large for all sectors to be dense at once.
namespace cisolve::ci {
namespace {

/// Calls visit(wanted, up) for all sectors of momentum, mirror and, at Ms = 0, spin flip, for every
/// number of spins up.
template <class Visit>
void for_each_sector(int sites, int up, Visit visit) {
  const bool flips = 2 * up == sites;
  for (Index k = 0; 2 * k <= sites; ++k)
    for (const LatticeParity mirror : {LatticeParity::even, LatticeParity::odd})
      for (const LatticeParity flip : {LatticeParity::even, LatticeParity::odd}) {
        if (!flips && flip == LatticeParity::odd) continue;
        WantedSymmetry wanted{.momentum = {k}};
        wanted.inversion = mirror;
        if (flips) wanted.spin = flip;
        visit(wanted);
      }
}

SymmetryAdaptedBasis basis_of(const LatticeShape& shape, const std::vector<Term>& terms, int up,
                              const WantedSymmetry& wanted) {
  const SiteModel model = spin_model(shape.sites(), terms);
  return {BasisStates(shape.sites(), up), lattice_sector(model, &shape, wanted), kTwoThreads};
}

std::vector<double> lowest_energies(const SymmetryAdaptedBasis& basis,
                                    const std::vector<Term>& terms, int states) {
  if (basis.dimension() == 0) return {};
  const SiteModelRows rows(basis, spin_model(basis.words().filling().sites, terms));
  const auto product = site_product(rows, kTwoThreads);
  solver::Options options{.states = states, .tolerance = 1e-9};
  options.search = solver::SearchEffort::full;
  const solver::Result result = solver::solve({*product, kTwoThreads}, options);
  EXPECT_TRUE(result.converged());
  std::vector<double> energies;
  for (const solver::State& state : result.states) energies.push_back(state.energy);
  return energies;
}

TEST(SpinRings, SectorsTogetherHaveAllStatesOfEveryProjection) {
  for (int sites = 4; sites <= 16; ++sites) {
    const LatticeShape ring = chain_of(sites);
    const std::vector<Term> terms = coupled(ring);
    for (int up = 0; up <= sites; ++up) {
      Index all = 0;
      for_each_sector(sites, up, [&](const WantedSymmetry& wanted) {
        all += basis_of(ring, terms, up, wanted).dimension();
      });
      EXPECT_EQ(all, BasisStates(sites, up).count()) << sites << ' ' << up;
    }
  }
}

/// The most spins up for which the whole matrix is affordable as dense.
TEST(SpinRings, LongOnesHaveTheWholeSpectrumInTheirSectors) {
  for (const auto& [sites, up] : {std::pair(13, 6), {13, 3}, {14, 4}, {15, 3}, {16, 3}}) {
    const LatticeShape ring = chain_of(sites);
    const std::vector<Term> terms = coupled(ring, 1, 0.3);
    std::vector<double> all;
    for_each_sector(sites, up, [&](const WantedSymmetry& wanted) {
      append_all(all, spectrum_of(basis_of(ring, terms, up, wanted), terms));
    });
    const SymmetryAdaptedBasis whole(BasisStates(sites, up), std::nullopt, kTwoThreads);
    expect_same(all, eigenvalues(dense(SiteModelRows(whole, spin_model(sites, terms)))));
  }
}

TEST(SpinRings, LowestStatesEqualThoseOfTheSectors) {
  constexpr int kStates = 6;
  for (int sites = 13; sites <= test::unless_sanitized(16, 14); ++sites) {
    const LatticeShape ring = chain_of(sites);
    const std::vector<Term> terms = coupled(ring);
    const int up = sites / 2;
    std::vector<double> joined;
    for_each_sector(sites, up, [&](const WantedSymmetry& wanted) {
      const auto some = lowest_energies(basis_of(ring, terms, up, wanted), terms, kStates);
      joined.insert(joined.end(), some.begin(), some.end());
    });
    std::ranges::sort(joined);
    const SymmetryAdaptedBasis whole(BasisStates(sites, up), std::nullopt, kTwoThreads);
    const auto expected = lowest_energies(whole, terms, kStates);
    for (int i = 0; i < kStates; ++i) EXPECT_NEAR(joined[i], expected[i], 1e-10) << sites;
  }
}

/// Each site of a triangular plane has six neighbours, by arithmetic on column and row; each two
/// different ones may be exchanged.
TEST(SpinRings, APlaneOfTwelveTrianglesEqualsThatOfItsNeighbours) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t word = 0; word < 1U << 12; ++word)
    if (std::popcount(word) == 6) words.push_back(word);
  const auto n = std::ssize(words);
  MatrixXd h = MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (int site = 0; site < 12; ++site)
      for (const auto& [right, up] :
           {std::pair(1, 0), {0, 1}, {3, 1}}) {  // 3 to the right is 1 to the left
        const int other = (site % 4 + right) % 4 + 4 * ((site / 4 + up) % 3);
        const bool alike = (words[i] >> site & 1) == (words[i] >> other & 1);
        h(i, i) += alike ? 0.25 : -0.25;
        if (alike) continue;
        const auto image = words[i] ^ std::uint64_t{1} << site ^ std::uint64_t{1} << other;
        h(std::ranges::lower_bound(words, image) - words.begin(), i) += 0.5;
      }
  const LatticeShape plane{4, 3, true, true, LatticeType::triangular};
  const std::vector<Term> terms = coupled(plane);
  std::vector<double> all;
  for (const std::vector<Index>& k :
       {std::vector<Index>{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}})
    for (const LatticeParity inversion : {LatticeParity::even, LatticeParity::odd})
      for (const LatticeParity flip : {LatticeParity::even, LatticeParity::odd}) {
        WantedSymmetry wanted{.momentum = k};
        wanted.inversion = inversion;
        wanted.spin = flip;
        append_all(all, spectrum_of(basis_of(plane, terms, 6, wanted), terms));
      }
  expect_same(all, eigenvalues(h));
}

/// Random bonds of any kind and strength, some repeated.
TEST(SpinRings, RandomGraphsHaveTheSpectraOfKroneckerProducts) {
  constexpr TermKind kinds[] = {TermKind::couple,    TermKind::couple_x, TermKind::couple_y,
                                TermKind::couple_z,  TermKind::field,    TermKind::field_x,
                                TermKind::couple_xy, TermKind::couple};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    base::RandomStream random(seed);
    const auto below = [&](int count) { return static_cast<int>(random.uniform() * count); };
    const int sites = 4 + below(4);
    std::vector<Term> terms;
    for (int i = 0; i < 3 * sites; ++i) {
      const TermKind kind = kinds[below(8)];
      const int a = below(sites);
      const int b = is_of_one_site(kind) ? a : (a + 1 + below(sites - 1)) % sites;
      terms.push_back({kind, a, b, 2 * random.uniform() - 1});
    }
    const VectorXd found = spectrum_of(sites, std::nullopt, terms);
    expect_same({found.begin(), found.end()}, eigenvalues(test::spin_matrix(sites, terms)));
  }
}

}  // namespace
}  // namespace cisolve::ci

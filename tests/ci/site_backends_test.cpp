#include <gtest/gtest.h>

#include "base/random.hpp"
#include "ci/lattice/sectors/representatives.hpp"
#include "ci/lattice/spins/site_model_view.hpp"
#include "ci/lattice/spins/site_row_walk.hpp"
#include "sparse/formats/hybrid.hpp"
#include "tests/ci/spin_systems.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/vectors.hpp"

// Lattice models on all backends: orbits, rows and products equal the host's.
namespace cisolve::ci {
namespace {

struct SpinSystem {
  std::string name;
  ParticleNumbers filling;
  std::vector<Term> terms;
  std::optional<SymmetrySector> sector;

  SiteModel model() const { return model_of(filling, terms); }
  SymmetryAdaptedBasis basis(const base::Backend& backend) const {
    return {BasisStates(filling), sector, backend};
  }
};

std::vector<Term> electron_terms(const LatticeShape& shape, double u, double j) {
  std::vector<Term> terms = on_bonds(shape, 1, TermKind::hop, 1);
  append(terms, on_sites(shape.sites(), TermKind::repel_on_site, u));
  append(terms, on_bonds(shape, 1, TermKind::couple, j));
  append(terms, on_bonds(shape, 1, TermKind::repel, 0.25));
  return terms;
}

/// Representations of dimension 1 and 2, with and without flips, orbits without states, fields, no
/// conserved Ms; electrons with and without double occupancy.
std::vector<SpinSystem> spin_systems() {
  std::vector<SpinSystem> systems;
  const auto fill = [&](const std::string& name, const LatticeShape& shape,
                        const ParticleNumbers& filling, std::vector<Term> terms,
                        const WantedSymmetry& wanted) {
    std::optional<SymmetrySector> sector;
    if (!wanted.is_any()) sector = lattice_sector(model_of(filling, terms), &shape, wanted);
    systems.push_back({name, filling, std::move(terms), std::move(sector)});
  };
  const auto add = [&](const std::string& name, const LatticeShape& shape, std::optional<int> up,
                       std::vector<Term> terms, const WantedSymmetry& wanted) {
    fill(name, shape, {shape.sites(), up}, std::move(terms), wanted);
  };
  const LatticeShape ring = chain_of(12);
  const LatticeShape torus{4, 3, true, true};
  const LatticeShape triangles{3, 3, true, true, LatticeType::triangular};
  const LatticeShape kagome{2, 2, true, true, LatticeType::kagome};
  std::vector<Term> in_field = coupled(chain_of(9), 1, 0.3);
  append(in_field, on_sites(9, TermKind::field, 0.2));
  std::vector<Term> across = coupled(chain_of(7));
  append(across, on_sites(7, TermKind::field_x, 0.4));
  add("ring, all", ring, 6, coupled(ring), {});
  add("ring, even", ring, 6, coupled(ring),
      {.momentum = {0}, .columns = LatticeParity::even, .spin = LatticeParity::even});
  add("ring, odd", ring, 6, coupled(ring),
      {.momentum = {6}, .columns = LatticeParity::odd, .spin = LatticeParity::odd});
  add("ring, two of a pair", ring, 5, coupled(ring, 1, 0.4), {.momentum = {2}});
  add("torus", torus, 6, coupled(torus), {.momentum = {1, 0}, .spin = LatticeParity::even});
  add("torus, mirrored", torus, 6, coupled(torus),
      {.momentum = {1, 0}, .rows = LatticeParity::even});
  add("triangles", triangles, 4, coupled(triangles), {.momentum = {1, 1}});
  add("36 couplings", triangles, 4, coupled(triangles, 1, 0.4), {.momentum = {1, 0}});
  add("kagome", kagome, 6, coupled(kagome), {.momentum = {0, 0}, .spin = LatticeParity::even});
  add("in a field", chain_of(9), 4, in_field, {.momentum = {3}});
  add("across", chain_of(7), std::nullopt, across, {.momentum = {0}});
  add("across, all", chain_of(7), std::nullopt, across, {});
  fill("electrons", chain_of(6), {6, 3, 3}, electron_terms(chain_of(6), 4, 0),
       {.momentum = {0}, .columns = LatticeParity::even, .spin = LatticeParity::even});
  fill("electrons, odd", chain_of(6), {6, 3, 2}, electron_terms(chain_of(6), 4, 0.3),
       {.momentum = {3}, .columns = LatticeParity::odd});
  fill("electrons, two of a pair", torus, {12, 2, 2}, electron_terms(torus, 6, 0),
       {.momentum = {1, 0}, .spin = LatticeParity::even});
  fill("electrons apart", torus, {12, 2, 3, false}, electron_terms(torus, 0, 0.4),
       {.momentum = {0, 1}, .columns = LatticeParity::even});
  return systems;
}

class SiteBackends : public test::BackendTest {
 protected:
  template <class Check>
  static void for_each_system(Check check) {
    for (const SpinSystem& system : spin_systems()) {
      SCOPED_TRACE(system.name);
      check(system);
    }
  }
};

TEST_F(SiteBackends, FindTheOrbitsOfTheHost) {
  for_each_system([](const SpinSystem& system) {
    const SymmetryAdaptedBasis expected = system.basis(kTwoThreads);
    const SymmetryAdaptedBasis found = system.basis(test::backend_under_test());
    EXPECT_TRUE(found.host().is_host());
    ASSERT_EQ(found.dimension(), expected.dimension());
    ASSERT_EQ(found.orbits(), expected.orbits());
    ASSERT_GT(found.dimension(), 0);
    for (Index i = 0; i < found.orbits(); ++i) {
      ASSERT_EQ(found.word(i), expected.word(i));
      ASSERT_EQ(found.first_row(i), expected.first_row(i));
      ASSERT_EQ(found.kind(i).operations, expected.kind(i).operations);
    }
  });
}

TEST_F(SiteBackends, FindTheOrbitsOfManyWords) {
  const LatticeShape ring = chain_of(20);
  const SiteModel model = spin_model(20, coupled(ring));
  const SymmetrySector sector = lattice_sector(
      model, &ring, {.momentum = {0}, .columns = LatticeParity::even, .spin = LatticeParity::odd});
  const BasisStates words(20, 10);
  const SymmetryOrbits orbits(sector, kTwoThreads);
  const auto expected = find_representatives(words, sector, orbits, kTwoThreads);
  const auto found = find_representatives(words, sector, orbits, test::backend_under_test());
  EXPECT_GT(found.size(), 184756 / 80);
  EXPECT_TRUE(std::ranges::equal(found.span(), expected.span()));
}

TEST_F(SiteBackends, MultiplyLikeTheStoredRows) {
  const base::Backend backend = test::backend_under_test();
  for_each_system([&](const SpinSystem& system) {
    const SymmetryAdaptedBasis basis = system.basis(kTwoThreads);
    const SiteModelRows rows(basis, system.model());
    const MatrixXd h = dense(rows);
    const auto product = site_product(rows, backend);
    ASSERT_EQ(product->rows(), basis.dimension());
    for (const int columns : {1, 2, 3, 9}) {
      const base::MultiVector x = test::random_vectors(basis.dimension(), columns, 7).to(backend);
      base::MultiVector y(backend, basis.dimension(), columns);
      product->apply(x.block(), y.block());
      const base::MultiVector x_on_host = x.to(kTwoThreads);
      const base::MultiVector y_on_host = y.to(kTwoThreads);
      for (int j = 0; j < columns; ++j) {
        const Eigen::Map<const VectorXd> from(x_on_host.block().column(j), h.rows());
        const Eigen::Map<const VectorXd> to(y_on_host.block().column(j), h.rows());
        EXPECT_LT((h * from - to).cwiseAbs().maxCoeff(),
                  1e-13 * h.cwiseAbs().rowwise().sum().maxCoeff());
      }
    }
    base::MultiVector diagonal(backend, basis.dimension(), 1);
    ASSERT_TRUE(product->diagonal(diagonal.block()));
    const base::MultiVector on_host = diagonal.to(kTwoThreads);
    for (Index i = 0; i < basis.dimension(); ++i)
      EXPECT_NEAR(on_host.block().column(0)[i], h(i, i), 1e-13);
  });
}

template <class T>
bool same(const base::Array<T>& on_backend, const base::Array<T>& expected) {
  const base::Array<T> on_host = on_backend.to(kTwoThreads);
  return std::ranges::equal(on_host.span(), expected.span());
}

TEST_F(SiteBackends, StoreTheRowsOfTheHostToTheBit) {
  const base::Backend backend = test::backend_under_test();
  if (backend.is_host()) GTEST_SKIP() << "a host stores them itself";
  for_each_system([&](const SpinSystem& system) {
    const SymmetryAdaptedBasis basis = system.basis(kTwoThreads);
    const SiteModelRows rows(basis, system.model());
    const sparse::Csr expected = sparse::build_csr(rows, kTwoThreads);
    const auto on_backend = rows.on(backend);
    const sparse::Csr found = sparse::build_csr(*on_backend);
    EXPECT_TRUE(same(found.offsets, expected.offsets));
    EXPECT_TRUE(same(found.columns, expected.columns));
    EXPECT_TRUE(same(found.values, expected.values));
    const sparse::FormatOptions options{.boundary = 3};
    const sparse::Hybrid hybrid = sparse::build_hybrid(*on_backend, options);
    const sparse::Hybrid of_host = sparse::build_hybrid(rows, options, kTwoThreads);
    EXPECT_TRUE(same(hybrid.ell_values, of_host.ell_values));
    EXPECT_TRUE(same(hybrid.tail_values, of_host.tail_values));
    EXPECT_TRUE(same(hybrid.tail_columns, of_host.tail_columns));
  });
}

TEST_F(SiteBackends, StoreMoreRowsThanAreMadeAtOnce) {
  const base::Backend backend = test::backend_under_test();
  if (backend.is_host()) GTEST_SKIP() << "a host stores them itself";
  const SymmetryAdaptedBasis basis(BasisStates(22, 11), std::nullopt, kTwoThreads);
  const SiteModelRows rows(basis, spin_model(22, coupled(chain_of(22))));
  const sparse::Csr expected = sparse::build_csr(rows, kTwoThreads);
  const sparse::Csr found = sparse::build_csr(*rows.on(backend));
  EXPECT_TRUE(same(found.offsets, expected.offsets));
  EXPECT_TRUE(same(found.columns, expected.columns));
  EXPECT_TRUE(same(found.values, expected.values));
}

TEST_F(SiteBackends, CorrelateLikeTheHost) {
  const base::Backend backend = test::backend_under_test();
  for_each_system([&](const SpinSystem& system) {
    const SymmetryAdaptedBasis basis = system.basis(kTwoThreads);
    const base::MultiVector x = test::random_vectors(basis.dimension(), 1, 3);
    const CorrelationFunctions expected =
        correlation_functions(basis, x.block(), kTwoThreads).front();
    const CorrelationFunctions found =
        correlation_functions(basis, x.to(backend).block(), backend).front();
    const double scale = static_cast<double>(basis.dimension());
    const auto same = [&](const std::vector<double>& a, const std::vector<double>& b) {
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-14 * scale) << i;
    };
    same(found.z, expected.z);
    same(found.zz, expected.zz);
    same(found.dot, expected.dot);
    same(found.charge, expected.charge);
    same(found.number, expected.number);
    same(found.hop, expected.hop);
    EXPECT_GT(std::abs(expected.dot[1]), 1e-6);
  });
}

// The device view evaluated on the host, where debugger and sanitizers work.
TEST(SiteModelViewTest, HasTheElementsOfAWalkInTheirOrder) {
  for (const SpinSystem& system : spin_systems()) {
    SCOPED_TRACE(system.name);
    const SymmetryAdaptedBasis basis = system.basis(kTwoThreads);
    const SiteModelRows rows(basis, system.model());
    const SiteModelTables tables(rows, kTwoThreads);
    using Elements = std::vector<std::pair<Index, double>>;
    SiteRowWalk walk(basis, 0);
    for (Index row = 0; row < basis.dimension(); ++row, walk.next()) {
      Elements expected;
      Elements found;
      const auto into = [](Elements& all) {
        return [&all](Index column, double value) { all.emplace_back(column, value); };
      };
      visit_elements(walk, rows.model(), into(expected));
      tables.view().visit_elements(row, into(found));
      ASSERT_EQ(found, expected) << row;
      EXPECT_LE(std::ssize(found), tables.most_elements());
    }
  }
}

TEST(SiteModelViewTest, RotationsAreTheSitePermutations) {
  for (const SpinSystem& system : spin_systems()) {
    if (!system.sector) continue;
    SCOPED_TRACE(system.name);
    const SiteRotations rotations(*system.sector, kTwoThreads);
    const SymmetryOrbits orbits(*system.sector, kTwoThreads);
    const BasisState step = system.filling.holds_electrons() ? 1001 : 5;
    for (BasisState word = 0; word <= all_up(system.filling.places()); word += step) {
      const auto expected = orbits.least(word);
      const auto found = rotations.view().least(word);
      ASSERT_EQ(found.word, expected.word);
      ASSERT_EQ(found.operation, expected.operation);
      ASSERT_EQ(rotations.view().is_representative(word),
                orbits.visit_stabiliser(word, [](int) {}));
    }
  }
}

// Few orbits, whose last representative is among the largest basis states.
TEST(SiteModelViewTest, AWordOf64SitesIsFound) {
  const LatticeShape ring = chain_of(64);
  const std::vector<Term> terms = coupled(ring);
  const SymmetrySector sector = lattice_sector(spin_model(64, terms), &ring,
                                               {.momentum = {0}, .columns = LatticeParity::even});
  const SymmetryAdaptedBasis basis(BasisStates(64, 62), sector, kTwoThreads);
  const SiteModelRows rows(basis, spin_model(64, terms));
  const SiteModelTables tables(rows, kTwoThreads);
  ASSERT_EQ(basis.dimension(), 32);
  const MatrixXd h = dense(rows);
  for (Index row = 0; row < basis.dimension(); ++row) {
    MatrixXd found = MatrixXd::Zero(1, h.cols());
    tables.view().visit_elements(row, [&](Index column, double v) { found(0, column) += v; });
    EXPECT_LT((found - h.row(row)).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(SiteModelViewTest, RotationsReachBothEndsOfAWord) {
  const LatticeShape ring = chain_of(64);
  const SymmetrySector sector = lattice_sector(spin_model(64, coupled(ring)), &ring,
                                               {.momentum = {0}, .columns = LatticeParity::even});
  const SiteRotations rotations(sector, kTwoThreads);
  const SymmetryOrbits orbits(sector, kTwoThreads);
  for (int i = 0; i < 200; ++i) {
    const BasisState word = base::mix(static_cast<std::uint64_t>(i));
    EXPECT_EQ(rotations.view().least(word).word, orbits.least(word).word);
    EXPECT_EQ(rotations.view().least(word).operation, orbits.least(word).operation);
  }
  EXPECT_LE(rotations.bytes(),
            128 * (2 * Index{sizeof(BitRotation)} + 8));  // two rotations per permutation
}

}  // namespace
}  // namespace cisolve::ci

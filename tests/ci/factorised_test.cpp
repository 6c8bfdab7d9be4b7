#include "ci/hamiltonian/factorised/factorised.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "base/block_kernels.hpp"
#include "base/symmetry_projector.hpp"
#include "base/text.hpp"
#include "ci/hamiltonian/factorised/same_spin_blocks.hpp"
#include "ci/hamiltonian/factorised/same_spin_strips.hpp"
#include "ci/hamiltonian/factorised/same_spin_tiles.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/factorised_systems.hpp"

// The factorised product against stored elements.
namespace cisolve::ci {
namespace {

using test::kCanonical;
using test::kHost;

class Factorised : public test::BackendTest {};

TEST_F(Factorised, AgreesWithStoredElements) {
  const base::Backend backend = test::backend_under_test();
  std::vector<test::NamedHamiltonian> all = test::factorised_kinds();
  all.push_back(test::many_pairs());
  for (const test::NamedHamiltonian& named : all) {
    SCOPED_TRACE(named.name);
    const HamiltonianRows in_order(*named.space, *named.integrals, kCanonical);
    const sparse::Csr stored = sparse::build_csr(in_order, kHost);
    const HamiltonianRows h = named.rows();
    const auto factors = FactorisedHamiltonian(h).product(backend);
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 3, 3);
    ASSERT_EQ(factors->rows(), x.rows());
    const base::MultiVector y = test::framed_product(*factors, x, backend);
    ASSERT_NO_FATAL_FAILURE(test::expect_products(stored, x, y));
  }
}

TEST_F(Factorised, AVectorHasTheSameBitsInEveryBlockAndEachTime) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::factorised_kinds()) {
    SCOPED_TRACE(named.name);
    const auto factors = FactorisedHamiltonian(named.rows()).product(backend);
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 5, 3);
    const base::MultiVector all = test::framed_product(*factors, x, backend);
    for (const int width : {1, 2, 5}) {
      base::MultiVector first(base::Backend::reference(), x.rows(), width);
      for (int j = 0; j < width; ++j)
        for (Index i = 0; i < x.rows(); ++i) first(i, j) = x(i, j);
      const base::MultiVector y = test::framed_product(*factors, first, backend);
      for (int j = 0; j < width; ++j)
        for (Index i = 0; i < x.rows(); ++i) ASSERT_EQ(y(i, j), all(i, j)) << i << ", " << j;
    }
  }
}

TEST_F(Factorised, AgreesWithStoredElementsForEvenAndOddVectors) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::flipped_kinds()) {
    SCOPED_TRACE(named.name);
    const HamiltonianRows h = named.rows();
    const sparse::Csr stored = sparse::build_csr(h, kHost);
    const auto factors = FactorisedHamiltonian(h).product(backend);
    for (const double sign : {1.0, -1.0})
      for (const double leak : {0.0, 1e-17, 1e-3}) {
        SCOPED_TRACE(base::concat("sign ", sign, ", leak ", leak));
        const base::MultiVector x = test::part_of(
            *named.space, test::random_vectors(named.space->dimension(), 3, 3), sign, leak);
        const base::MultiVector y = test::framed_product(*factors, x, backend);
        ASSERT_NO_FATAL_FAILURE(test::expect_products(stored, x, y));
      }
  }
}

/// Products of even and odd vectors compute no sigma_beta; products of their sum do, and a device
/// then transposes its rows in pieces.
TEST_F(Factorised, IsTheSumOverEvenAndOddParts) {
  const base::Backend backend = test::backend_under_test();
  const int orbitals = backend.is_host() ? 8 : 15;
  const int electrons = orbitals / 2;
  const test::NamedHamiltonian named =
      test::named("", test::random_integrals(orbitals, false, 5, {}),
                  full_ci({orbitals, electrons, electrons}, base::Backend::openmp()));
  const auto factors = FactorisedHamiltonian(named.rows()).product(backend);
  if (!backend.is_host()) {
    const Index strings = std::ssize(named.space->strings(Spin::alpha));
    ASSERT_LT(TransposedRows::at_once(strings, strings), strings);
  }
  const base::BlockKernels& kernels = base::block_kernels(backend);
  base::MultiVector x(backend, factors->rows(), 3);
  kernels.randomise(backend, 1, x.block().slice(0, 1));
  kernels.copy(backend, x.block().slice(0, 1), x.block().slice(1, 1));
  const auto* projector = base::SymmetryProjector::of(*factors);
  ASSERT_NE(projector, nullptr);
  projector->project_symmetry(1, x.block().slice(1, 1));
  base::MultiVector parts = x.to(base::Backend::reference());
  double other = 0;
  for (Index i = 0; i < parts.rows(); ++i) {
    parts(i, 2) = parts(i, 0) - parts(i, 1);
    other += parts(i, 2) * parts(i, 2);
  }
  ASSERT_GT(other, 0.1);
  const base::MultiVector there = parts.to(backend);
  base::MultiVector y(backend, x.rows(), 3);
  factors->apply(there.block(), y.block());
  const base::MultiVector found = y.to(base::Backend::reference());
  double size = 0;
  for (Index i = 0; i < found.rows(); ++i) size = std::max(size, std::abs(found(i, 0)));
  for (Index i = 0; i < found.rows(); ++i)
    ASSERT_NEAR(found(i, 0), found(i, 1) + found(i, 2), 1e-12 * size) << i;
}

TEST_F(Factorised, HoldsNoMoreThanIsEstimated) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::factorised_kinds()) {
    SCOPED_TRACE(named.name);
    FactorisedHamiltonian h(named.rows());
    const FactorisedCost work = h.work(backend);
    const Index held = std::move(h).product(backend)->description().bytes_held;
    const Index planned = work.bytes + (backend.is_host() ? 0 : work.transposed);
    // Includes buffers of parity norms, whatever the space.
    EXPECT_LT(held, 2 * planned + 1'000'000);
    EXPECT_GE(held, backend.is_host() ? 1 : planned);
  }
}

TEST_F(Factorised, KeepsTheParityOfEvenAndOddVectors) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::flipped_kinds()) {
    SCOPED_TRACE(named.name);
    const auto factors = FactorisedHamiltonian(named.rows()).product(backend);
    for (const double sign : {1.0, -1.0}) {
      const base::MultiVector x = test::part_of(
          *named.space, test::random_vectors(named.space->dimension(), 1, 3), sign, 0);
      const base::MultiVector y = test::framed_product(*factors, x, backend);
      for (Index row = 0; row < x.rows(); ++row) {
        const Determinant here = named.space->determinant(row);
        const Index there = named.space->row_of({here.beta, here.alpha}).value();
        ASSERT_EQ(y(row, 0), sign * y(there, 0)) << row;
      }
    }
  }
}

/// A single determinant that breaks the parity may be anywhere.
TEST_F(Factorised, OneDeterminantBreaksTheParityOfAVector) {
  const base::Backend backend = test::backend_under_test();
  const test::NamedHamiltonian named =
      test::named("", test::random_integrals(9, false, 5, {}), full_ci({9, 4, 4}, kHost));
  const HamiltonianRows h = named.rows();
  const sparse::Csr stored = sparse::build_csr(h, kHost);
  const auto factors = FactorisedHamiltonian(h).product(backend);
  const base::MultiVector even =
      test::part_of(*named.space, test::random_vectors(named.space->dimension(), 1, 3), 1, 0);
  for (Index row = 1; row < even.rows(); row += even.rows() / 23) {
    SCOPED_TRACE(row);
    base::MultiVector x = even.to(base::Backend::reference());
    x(row, 0) += 1e-3;
    ASSERT_NO_FATAL_FAILURE(
        test::expect_products(stored, x, test::framed_product(*factors, x, backend)));
  }
}

TEST_F(Factorised, RemovesSmallComponentsOfTheOtherParity) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::flipped_kinds()) {
    SCOPED_TRACE(named.name);
    const auto factors = FactorisedHamiltonian(named.rows()).product(backend);
    const auto* projector = base::SymmetryProjector::of(*factors);
    ASSERT_NE(projector, nullptr);
    const base::MultiVector any = test::random_vectors(named.space->dimension(), 2, 3);
    for (const double sign : {1.0, -1.0}) {
      const base::MultiVector pure = test::part_of(*named.space, any, sign, 0);
      const base::MultiVector x = test::part_of(*named.space, any, sign, 1e-3);
      base::MultiVector there = x.to(backend);
      projector->project_symmetry(1e-6, there.block());
      const base::MultiVector same = there.to(base::Backend::reference());
      projector->project_symmetry(0.1, there.block());
      const base::MultiVector projected = there.to(base::Backend::reference());
      for (int j = 0; j < x.columns(); ++j)
        for (Index row = 0; row < x.rows(); ++row) {
          ASSERT_EQ(same(row, j), x(row, j)) << row;
          ASSERT_NEAR(projected(row, j), pure(row, j), 1e-14) << row;
        }
    }
  }
}

/// A device then holds only one of the two.
TEST(SameSpinBlocks, DetectThatBothSpinsHaveTheSameMatrix) {
  Index alike = 0;
  Index all = 0;
  for (const test::NamedHamiltonian& named : test::factorised_kinds()) {
    SCOPED_TRACE(named.name);
    const RowTables tables(named.rows(), kHost);
    for (const SameSpinBlock& block : same_spin_blocks(tables, kHost)) {
      ++all;
      if (!block.are_alike) continue;
      ++alike;
      EXPECT_EQ(block.alpha.strings, block.beta.strings);
      EXPECT_TRUE(std::ranges::equal(block.alpha.offsets.span(), block.beta.offsets.span()));
      EXPECT_TRUE(std::ranges::equal(block.alpha.columns.span(), block.beta.columns.span()));
      EXPECT_TRUE(std::ranges::equal(block.alpha.values.span(), block.beta.values.span()));
    }
  }
  EXPECT_GT(alike, 0);
  EXPECT_LT(alike, all);
}

TEST_F(Factorised, ReturnsTheDiagonal) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::factorised_kinds()) {
    SCOPED_TRACE(named.name);
    const auto factors = FactorisedHamiltonian(named.rows()).product(backend);
    const base::Array<double> expected = HamiltonianDiagonal(*named.space, *named.integrals).all();
    base::MultiVector d(backend, expected.size(), 1);
    ASSERT_TRUE(factors->diagonal(d.block()));
    const base::MultiVector here = d.to(base::Backend::reference());
    for (Index i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(here(i, 0), expected[i], 1e-14 * std::max(1.0, std::abs(expected[i])));
  }
}

TEST_F(Factorised, StripsAndTilesAreAsManyAsEstimated) {
  std::vector<test::NamedHamiltonian> all = test::factorised_kinds();
  all.push_back(test::named("many strings", test::random_integrals(13, false, 5, {}),
                            ci::full_ci({13, 6, 1}, kHost)));
  bool any_is_long = false;
  for (const test::NamedHamiltonian& named : all) {
    SCOPED_TRACE(named.name);
    const RowTables tables(named.rows(), kHost);
    for (const SameSpinBlock& block : same_spin_blocks(tables, kHost))
      for (const SameSpinMatrix* matrix : {&block.alpha, &block.beta}) {
        const SameSpinStrips strips(*matrix, kHost);
        EXPECT_EQ(count_columns(*matrix), strips.end(strips.strips() - 1));
        const SameSpinTiles tiles(*matrix, kHost);
        const SameSpinTilesView view = tiles.view();
        Index there = 0;
        for (Index step = 0; step < view.bands[tiles.bands()]; ++step)
          there += std::popcount(static_cast<unsigned>(view.steps[step].tiles));
        EXPECT_EQ(count_tiles(*matrix), there);
        any_is_long |= !is_small_matrix(*matrix);
      }
  }
  EXPECT_TRUE(any_is_long);  // a long strip is left to all threads
}

double element_of(const SameSpinTilesView& tiles, Index row, Index column) {
  const Index band = row / SameSpinTilesView::kBandRows;
  const int tile = static_cast<int>(row % SameSpinTilesView::kBandRows / 8);
  for (Index i = tiles.bands[band]; i < tiles.bands[band + 1]; ++i) {
    const SameSpinTilesView::Step& step = tiles.steps[i];
    if (step.column != column / 8 || (step.tiles >> tile & 1) == 0) continue;
    const int before = std::popcount(static_cast<unsigned>(step.tiles) & ((1U << tile) - 1));
    const Index lane = 4 * (row % 8) + column % 4;
    return tiles.values[64 * (step.first + before) + 2 * lane + column % 8 / 4];
  }
  return 0;
}

double element_of(const SameSpinMatrix& matrix, Index row, Index column) {
  for (Index k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k)
    if (matrix.columns[k] == column) return matrix.values[k];
  return 0;
}

/// Any subset of rows, as a device needs for its own strings.
TEST_F(Factorised, TilesOfSelectedRowsHoldTheirElements) {
  for (const test::NamedHamiltonian& named : test::factorised_kinds()) {
    SCOPED_TRACE(named.name);
    const RowTables tables(named.rows(), kHost);
    for (const SameSpinBlock& block : same_spin_blocks(tables, kHost)) {
      const SameSpinMatrix& matrix = block.alpha;
      std::vector<Index> rows;
      for (Index row = 0; row < matrix.rows(); ++row)
        if (row % 3 == 1 || row == matrix.rows() - 1) rows.push_back(row);
      const SameSpinTiles tiles(matrix, rows, kHost);
      const SameSpinTilesView view = tiles.view();
      EXPECT_EQ(view.rows, std::ssize(rows));
      EXPECT_EQ(view.columns, matrix.rows());
      EXPECT_EQ(tiles.bands(), (std::ssize(rows) + 63) / 64);
      for (Index i = 0; i < std::ssize(rows); ++i)
        for (Index column = 0; column < matrix.rows(); ++column)
          ASSERT_EQ(element_of(view, i, column), element_of(matrix, rows[i], column));
    }
  }
}

/// Each subset of four tiles has code of its own on a device.
TEST_F(Factorised, TheseSystemsCoverEveryKindOfTiles) {
  std::set<int> first;
  std::set<int> second;
  for (const test::NamedHamiltonian& named : test::factorised_kinds()) {
    const RowTables tables(named.rows(), kHost);
    for (const SameSpinBlock& block : same_spin_blocks(tables, kHost))
      for (const SameSpinMatrix* matrix : {&block.alpha, &block.beta}) {
        const SameSpinTiles tiles(*matrix, kHost);
        const SameSpinTilesView view = tiles.view();
        for (Index step = 0; step < view.bands[tiles.bands()]; ++step) {
          first.insert(view.steps[step].tiles & 15);
          second.insert(view.steps[step].tiles >> 4);
        }
      }
  }
  EXPECT_EQ(first.size(), 16) << ::testing::PrintToString(first);
  EXPECT_EQ(second.size(), 16) << ::testing::PrintToString(second);
}

TEST_F(Factorised, NeedsEqualOrDisjointListsAndNoThreshold) {
  const std::vector<test::NamedHamiltonian> all = test::hamiltonians();
  const auto may = [&](const char* name) {
    const auto found = std::ranges::find(all, name, &test::NamedHamiltonian::name);
    EXPECT_NE(found, all.end()) << name;
    return found != all.end() && may_factorise(found->rows());
  };
  EXPECT_TRUE(may("full CI"));
  EXPECT_TRUE(may("one irrep"));
  EXPECT_FALSE(may("CISD"));
  EXPECT_FALSE(may("RAS"));
  EXPECT_FALSE(may("large elements only"));
}

}  // namespace
}  // namespace cisolve::ci

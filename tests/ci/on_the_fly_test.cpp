#include "ci/hamiltonian/on_the_fly/computed_hamiltonian.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "sparse/formats/csr.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/computed_products.hpp"
#include "tests/support/vectors.hpp"

// Products with computed elements against products with stored ones.
namespace cisolve::ci {
namespace {

using test::kCanonical;
using test::kHost;

class OnTheFly : public test::BackendTest {};

/// More rows of an alpha string than a window holds.
test::NamedHamiltonian long_lists() {
  return test::named("long lists", test::random_integrals(15, false, 5, {}),
                     full_ci({15, 1, 6}, kHost));
}

struct NamedProduct {
  std::string name;
  ComputedProductPtr product;
};

std::vector<NamedProduct> ways(const HamiltonianRows& h, const base::Backend& backend) {
  std::vector<NamedProduct> ways;
  auto tables = BlockTables::of(h, backend);
  EXPECT_TRUE(tables);
  const bool here = backend.is_host();
  if (tables)
    ways.push_back(
        {"blocks", here ? by_blocks(std::move(*tables)) : cuda::by_blocks(std::move(*tables))});
  auto lists = ListTables::of(h, backend);
  EXPECT_TRUE(lists || h.space().dimension() < 100 || h.space().lists() < 20);
  if (lists)
    ways.push_back(
        {"lists", here ? by_lists(h, std::move(*lists)) : cuda::by_lists(h, std::move(*lists))});
  ways.push_back({"rows", here ? by_rows(h) : cuda::by_rows(h, backend)});
  return ways;
}

TEST_F(OnTheFly, AgreesWithStoredElements) {
  const base::Backend backend = test::backend_under_test();
  std::vector<test::NamedHamiltonian> all = test::all_kinds();
  all.push_back(long_lists());
  for (const test::NamedHamiltonian& named : all) {
    const HamiltonianRows in_order(*named.space, *named.integrals, kCanonical, named.threshold);
    const sparse::Csr stored = sparse::build_csr(in_order, kHost);
    const HamiltonianRows h = named.rows();
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 9, 3);
    for (const NamedProduct& way : ways(h, backend)) {
      SCOPED_TRACE(named.name + " by " + way.name);
      ASSERT_EQ(way.product->rows(), x.rows());
      const base::MultiVector y = test::framed_product(*way.product, x, backend);
      ASSERT_NO_FATAL_FAILURE(test::expect_products(stored, x, y));
    }
  }
}

TEST_F(OnTheFly, AVectorHasTheSameBitsInEveryBlockAndEachTime) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::all_kinds()) {
    const HamiltonianRows h = named.rows();
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 9, 3);
    for (const NamedProduct& way : ways(h, backend)) {
      SCOPED_TRACE(named.name + " by " + way.name);
      const base::MultiVector all = test::framed_product(*way.product, x, backend);
      for (const int width : {1, 3, 4, 8}) {
        base::MultiVector first(base::Backend::reference(), x.rows(), width);
        for (int j = 0; j < width; ++j)
          for (Index i = 0; i < x.rows(); ++i) first(i, j) = x(i, j);
        const base::MultiVector y = test::framed_product(*way.product, first, backend);
        for (int j = 0; j < width; ++j)
          for (Index i = 0; i < x.rows(); ++i)
            ASSERT_EQ(y(i, j), all(i, j)) << i << ", vector " << j << " of " << width;
      }
    }
  }
}

TEST_F(OnTheFly, ReturnsTheDiagonal) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::all_kinds()) {
    const HamiltonianRows h = named.rows();
    const base::Array<double> expected = HamiltonianDiagonal(*named.space, *named.integrals).all();
    for (const NamedProduct& way : ways(h, backend)) {
      SCOPED_TRACE(named.name + " by " + way.name);
      base::MultiVector d(backend, expected.size(), 1);
      ASSERT_TRUE(way.product->diagonal(d.block()));
      const base::MultiVector here = d.to(base::Backend::reference());
      for (Index i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(here(i, 0), expected[i], 1e-14 * std::max(1.0, std::abs(expected[i])));
    }
  }
}

/// Each row has the same targets in the same order.
void visit_all(Index row, const ExcitationSlices::Visit& visit) {
  for (Index k = 0; k < 64; ++k)
    visit({PackedExcitation::of(k, 0, k % 2 != 0), static_cast<double>(100 * k + row)});
}

TEST(Computed, KeepsAndReusesItsAnalysis) {
  const base::Backend host = base::Backend::openmp(0, {.host_bytes = Index{1} << 28});
  const Space space = full_ci({8, 3, 3}, host);
  const Integrals integrals = test::random_integrals(8, false, 5, {});
  const Partition canonical(host);
  const HamiltonianRows h(space, integrals, canonical);
  const Index before = host.memory().left();
  ComputedHamiltonian computed(h);
  ASSERT_TRUE(computed.work().by_blocks);
  const Index found = before - host.memory().left();
  const Index whole = computed.product(host)->description().bytes_held;
  EXPECT_EQ(host.memory().left(), before);  // the tables were moved into the product
  const Index again = computed.product(host)->description().bytes_held;
  EXPECT_EQ(again, whole);
  ComputedHamiltonian other(h);
  // Memory for a product, but not for building its tables while the first ones are held.
  const base::Reservation full(host.memory(), host.memory().left() - (whole - found) - found / 2,
                               "what leaves no room");
  EXPECT_EQ(other.product(host)->description().bytes_held, whole);
}

/// 48,620 strings of each spin: the tables can be built, though no format can number the columns of
/// 2,363,904,400 rows.
TEST(Computed, MayHaveMoreRowsThanCanBeStored) {
  const Space space = full_ci({18, 9, 9}, kHost);
  const Integrals integrals = hubbard({{18, 1, true}, 1, 4}, kHost);
  const HamiltonianRows h(space, integrals, kCanonical);
  const RowCost work = h.work();
  EXPECT_GT(work.candidates, 1e10);
  std::vector<Column> lengths(1);
  EXPECT_THROW(h.count(0, lengths), base::Error);
  EXPECT_THROW(h.fill(0, 0, {}, {}), base::Error);
  EXPECT_EQ(by_rows(h)->rows(), space.dimension());
}

TEST(ExcitationSlices, AreDistributedSoThatLanesSeldomWait) {
  const std::array<ExcitationSlices::Rows, 1> rows{{{0, 32}}};
  const ExcitationSlices slices(
      rows, true,
      [](Index, Index row, const ExcitationSlices::Visit& visit) { visit_all(row, visit); }, kHost);
  const ExcitationSlicesView view = slices.view();
  ASSERT_EQ(view.depth(0), 64);
  Index waits = 0;
  for (Index step = 0; step < 64; ++step)
    for (int first = 0; first < kSliceRows;
         first += 8) {  // shared memory serves eight lanes together
      std::array<Index, 8> lanes{};
      for (int lane = first; lane < first + 8; ++lane)
        ++lanes[view.moves[kSliceRows * step + lane].place() % 8];
      waits += *std::ranges::max_element(lanes) - 1;
    }
  EXPECT_LT(waits, 64 * 4);  // without reordering: 64 * 4 * 7
}

TEST(ExcitationSlices, HoldEachExcitationWithItsValue) {
  const std::array<ExcitationSlices::Rows, 1> rows{{{0, 32}}};
  const ExcitationSlices slices(
      rows, true,
      [](Index, Index row, const ExcitationSlices::Visit& visit) { visit_all(row, visit); }, kHost);
  const ExcitationSlicesView view = slices.view();
  for (int lane = 0; lane < kSliceRows; ++lane) {
    std::vector<bool> seen(64, false);
    for (Index step = 0; step < 64; ++step) {
      const PackedExcitation move = view.moves[kSliceRows * step + lane];
      const Index k = move.place();
      EXPECT_EQ(move.is_odd(), k % 2 != 0);
      EXPECT_EQ(view.values[kSliceRows * step + lane], 100 * k + view.rows[lane]);
      EXPECT_FALSE(seen[k]);
      seen[k] = true;
    }
  }
}

TEST_F(OnTheFly, UsesListsIfEveryStringHasItsOwnList) {
  // 495 alpha strings, each with its own eighth of the beta strings.
  const Space space = test::own_lists({12, 4, 4}, 61);
  const Integrals integrals = test::random_integrals(12, false, 5, {});
  const HamiltonianRows h(space, integrals, kCanonical);
  EXPECT_FALSE(BlockTables::of(h, kHost));
  EXPECT_TRUE(ListTables::of(h, kHost));
  ComputedHamiltonian computed(h);
  EXPECT_FALSE(computed.work().by_blocks);
  EXPECT_EQ(computed.product(test::backend_under_test())->rows(), space.dimension());
}

TEST_F(OnTheFly, UsesRowsIfListsAreShort) {
  // 495 alpha strings, each with about two of the beta strings.
  const Space space = test::own_lists({12, 4, 4}, 56);
  const Integrals integrals = test::random_integrals(12, false, 5, {});
  const HamiltonianRows h(space, integrals, kCanonical);
  EXPECT_FALSE(ListTables::of(h, kHost));
}

}  // namespace
}  // namespace cisolve::ci

#include "ci/on_the_fly/on_the_fly.hpp"

#include <gtest/gtest.h>

#include "ci/on_the_fly/ways.hpp"
#include "sparse/formats/csr.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/computed_products.hpp"
#include "tests/support/vectors.hpp"

// Elements that are computed in each product, against those that are stored.
namespace cisolve::ci {
namespace {

const base::Backend kHost = base::Backend::openmp();
const Partition kCanonical(kHost);

class OnTheFly : public test::BackendTest {};

/// More rows of an alpha string than a window holds.
test::NamedHamiltonian long_lists() {
  return test::named("long lists", test::random_integrals(15, false, 5, {}),
                     full_ci({15, 1, 6}, kHost));
}

struct Way {
  std::string name;
  Operator product;
};

std::vector<Way> ways(const HamiltonianRows& h, const base::Backend& backend) {
  std::vector<Way> ways;
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

TEST_F(OnTheFly, GivesWhatStoredElementsGive) {
  const base::Backend backend = test::backend_under_test();
  std::vector<test::NamedHamiltonian> all = test::all_kinds();
  all.push_back(long_lists());
  for (const test::NamedHamiltonian& named : all) {
    const HamiltonianRows in_order(*named.space, *named.integrals, kCanonical, named.threshold);
    const sparse::Csr stored = sparse::build_csr(in_order, kHost);
    const HamiltonianRows h = named.rows();
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 9, 3);
    for (const Way& way : ways(h, backend)) {
      SCOPED_TRACE(named.name + " by " + way.name);
      ASSERT_EQ(way.product->rows(), x.rows());
      const base::MultiVector y = test::framed_product(*way.product, x, backend);
      for (Index row = 0; row < x.rows(); ++row)
        for (int j = 0; j < x.columns(); ++j) {
          const test::ExpectedProduct sum = test::expected_product(stored, x, row, j);
          ASSERT_NEAR(y(row, j), sum.value, 1e-13 * sum.magnitude) << row << ", vector " << j;
        }
    }
  }
}

TEST_F(OnTheFly, AVectorHasTheSameBitsInEveryBlockAndEachTime) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::all_kinds()) {
    const HamiltonianRows h = named.rows();
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 9, 3);
    for (const Way& way : ways(h, backend)) {
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

TEST_F(OnTheFly, KnowsTheDiagonal) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::all_kinds()) {
    const HamiltonianRows h = named.rows();
    const base::Array<double> expected = Diagonal(*named.space, *named.integrals).all();
    for (const Way& way : ways(h, backend)) {
      SCOPED_TRACE(named.name + " by " + way.name);
      base::MultiVector d(backend, expected.size(), 1);
      ASSERT_TRUE(way.product->diagonal(d.block()));
      const base::MultiVector here = d.to(base::Backend::reference());
      for (Index i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(here(i, 0), expected[i], 1e-14 * std::max(1.0, std::abs(expected[i])));
    }
  }
}

TEST_F(OnTheFly, GoesByListsWhereEveryStringHasAListOfItsOwn) {
  // 495 alpha strings, each with its own eighth of the beta strings.
  const Space space = test::own_lists({12, 4, 4}, 61);
  const Integrals integrals = test::random_integrals(12, false, 5, {});
  const HamiltonianRows h(space, integrals, kCanonical);
  EXPECT_FALSE(BlockTables::of(h, kHost));
  EXPECT_TRUE(ListTables::of(h, kHost));
  EXPECT_EQ(on_the_fly(h, test::backend_under_test())->rows(), space.dimension());
}

TEST_F(OnTheFly, GoesByRowsWhereListsAreShort) {
  // 495 alpha strings, each with about two of the beta strings.
  const Space space = test::own_lists({12, 4, 4}, 56);
  const Integrals integrals = test::random_integrals(12, false, 5, {});
  const HamiltonianRows h(space, integrals, kCanonical);
  EXPECT_FALSE(ListTables::of(h, kHost));
}

}  // namespace
}  // namespace cisolve::ci

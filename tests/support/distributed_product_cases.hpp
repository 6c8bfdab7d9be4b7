#pragma once

#include "base/symmetry_projector.hpp"
#include "tests/support/distributed_products.hpp"

// Tests of computed products with distributed rows, on all kinds of ranks: each rank finds the bits
// of one process. Include it in one source of a program.
namespace cisolve::ci {
namespace {  // NOLINT: of each program its own

class DistributedOnTheFly : public test::BackendTest {};
class DistributedStored : public test::BackendTest {};
class DistributedFactorised : public test::BackendTest {};

TEST_F(DistributedOnTheFly, GivesTheBitsOfOneProcess) {
  for (const NamedHamiltonian& named : test::all_kinds()) {
    const HamiltonianRows h = named.rows();
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 5, 3);
    for (const OnTheFlyMethod& way : on_the_fly_methods(h)) {
      const ComputedProductPtr one = way.product(h);
      const base::MultiVector expected = product_of(*one, x);
      const base::MultiVector diagonal = diagonal_of(*one);
      for (const int size : test::rank_runner.sizes())
        test::rank_runner.run(size, [&](const base::Communicator& ranks) {
          SCOPED_TRACE(base::concat(named.name, " by ", way.name, " on ", size));
          const base::DistributedOperator shared = distributed_computed(ranks, way.product(h));
          ASSERT_NO_FATAL_FAILURE(expect_own_rows(shared, ranks.rank(), x, expected));
          expect_diagonal(shared, ranks.rank(), diagonal);
        });
    }
  }
}

// The solver's vectors take the remaining memory before the first product; ranks have different
// amounts.
TEST_F(DistributedOnTheFly, HoldsTheWorkspaceOfItsProducts) {
  if (!of_rank().is_host()) GTEST_SKIP() << "the host's budget is enough to show it";
  const std::vector<NamedHamiltonian> kinds = test::all_kinds();
  const NamedHamiltonian& named = kinds.front();
  const HamiltonianRows h = named.rows();
  const base::MultiVector x = test::random_vectors(named.space->dimension(), 5, 3);
  const Index vector = x.rows() * Index{sizeof(double)};
  const base::MultiVector expected = product_of(*by_rows(h), x);
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const auto little =
          base::Backend::openmp(1, {.host_bytes = (ranks.rank() == 1 ? 9 : 90) * vector});
      ComputedProductPtr items = by_rows(h);
      const base::Layout layout = distribute_items(items->items(), ranks.size());
      keep_items_of(*items, layout, ranks.rank());
      const auto shared = base::make_distributed_operator(ranks, layout, std::move(items), little);
      const base::Reservation others(little.memory(), little.memory().left(), "what others take");
      const base::MultiVector mine = own_rows(layout, ranks.rank(), x);
      base::MultiVector y(base::Backend::reference(), mine.rows(), 5);
      shared->apply(mine.block(), y.block());
      const base::MultiVector wanted = own_rows(layout, ranks.rank(), expected);
      for (int j = 0; j < 5; ++j)
        for (Index i = 0; i < y.rows(); ++i) ASSERT_NEAR(y(i, j), wanted(i, j), 1e-12);
    });
}

TEST_F(DistributedOnTheFly, StoresAFractionOfEachRanksRows) {
  const sparse::FormatOptions storage{.format = "hybrid", .share = {{.elements = 0.5}}};
  const Partition canonical(one_thread());
  for (const NamedHamiltonian& named : test::all_kinds()) {
    const HamiltonianRows h = named.rows();
    const HamiltonianRows in_order(*named.space, *named.integrals, canonical, named.threshold);
    const sparse::Csr stored = sparse::build_csr(in_order, one_thread());
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 2, 3);
    const std::vector<test::ExpectedProduct> expected = test::expected_products(stored, x);
    for (const int size : test::rank_runner.sizes())
      test::rank_runner.run(size, [&](const base::Communicator& ranks) {
        SCOPED_TRACE(base::concat(named.name, " on ", size));
        ComputedProductPtr items = ComputedHamiltonian(h).product(of_rank());
        const base::Layout layout = distribute_items(items->items(), size);
        keep_items_of(*items, layout, ranks.rank());
        auto mixed = std::make_unique<PartlyStoredProduct>(h, std::move(items), storage, of_rank());
        const auto pieces = layout.pieces_of(ranks.rank());
        mixed->begin_y_with(pieces.empty() ? 0 : pieces.front().first);
        double nonzeros = static_cast<double>(mixed->nonzeros());
        double held = mixed->stored() == nullptr ? 0.0 : 1.0;
        ranks.sum({&nonzeros, 1});
        ranks.sum({&held, 1});
        EXPECT_EQ(nonzeros, stored.values.size());
        EXPECT_TRUE(held > 0 || x.rows() < 200);
        const auto shared =
            base::make_distributed_operator(ranks, layout, std::move(mixed), of_rank());
        const base::MultiVector mine = own_rows(layout, ranks.rank(), x);
        const base::MultiVector y = test::framed_product(*shared, mine, of_rank());
        std::vector<double> whole(x.rows());
        for (int j = 0; j < x.columns(); ++j) {
          base::VectorExchange(ranks, one_thread())
              .all_gather(layout, y.block().column(j), whole.data());
          for (Index row = 0; row < x.rows(); ++row) {
            const test::ExpectedProduct& sum = expected[j * x.rows() + row];
            ASSERT_NEAR(whole[row], sum.value, 1e-13 * sum.magnitude) << row << ", vector " << j;
          }
        }
      });
  }
}

// Each pair of kind of rows, format and number of ranks occurs, but not all triples: finding the
// rows is slow.
TEST_F(DistributedStored, HasTheRowsOfAllColumnsInEveryFormat) {
  const Partition canonical(one_thread());
  const std::vector<const char*> formats = {"csr", "sell", "hybrid", "tiled"};
  std::size_t next_format = 0;
  for (const NamedHamiltonian& named : test::all_kinds()) {
    const HamiltonianRows h(*named.space, *named.integrals, canonical, named.threshold);
    const sparse::Csr stored = sparse::build_csr(h, one_thread());
    const base::Array<double> diagonal = h.diagonal().all();
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 2, 3);
    const std::vector<test::ExpectedProduct> expected = test::expected_products(stored, x);
    for (const int size : test::rank_runner.sizes()) {
      const char* format = formats[next_format++ % formats.size()];
      test::rank_runner.run(size, [&](const base::Communicator& ranks) {
        SCOPED_TRACE(base::concat(named.name, " as ", format, " on ", size));
        const base::DistributedOperator shared = distributed_stored(ranks, h, {.format = format});
        const base::MultiVector y = test::framed_product(
            *shared.product, own_rows(shared.layout, ranks.rank(), x), of_rank());
        const base::MultiVector d = diagonal_of(*shared.product);
        const auto pieces = shared.layout.pieces_of(ranks.rank());
        for (Index i = 0; i < y.rows(); ++i) {
          const Index row = pieces.front().first + i;
          ASSERT_EQ(d(i, 0), diagonal[row]) << row;
          for (int j = 0; j < x.columns(); ++j) {
            const test::ExpectedProduct& sum = expected[j * x.rows() + row];
            ASSERT_NEAR(y(i, j), sum.value, 1e-13 * sum.magnitude) << row << ", vector " << j;
          }
        }
      });
    }
  }
}

TEST_F(DistributedFactorised, GiveTheBitsOfOneProcess) {
  for (const NamedHamiltonian& named : test::factorised_kinds()) {
    const HamiltonianRows h = named.rows();
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 5, 3);
    const auto one = FactorisedHamiltonian(h).product(of_rank());
    const base::MultiVector expected = product_of(*one, x);
    const base::MultiVector diagonal = diagonal_of(*one);
    for (const int size : test::rank_runner.sizes())
      test::rank_runner.run(size, [&](const base::Communicator& ranks) {
        SCOPED_TRACE(base::concat(named.name, " on ", size));
        const base::DistributedOperator shared = distributed_computed(ranks, h);
        ASSERT_NO_FATAL_FAILURE(expect_own_rows(shared, ranks.rank(), x, expected));
        expect_diagonal(shared, ranks.rank(), diagonal);
      });
  }
}

TEST_F(DistributedFactorised, GiveTheBitsOfOneProcessToEvenAndOddVectors) {
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    const HamiltonianRows h = named.rows();
    const auto one = FactorisedHamiltonian(h).product(of_rank());
    for (const double sign : {1.0, -1.0})
      for (const double leak : {0.0, 1e-17, 1e-3}) {
        const base::MultiVector any = test::random_vectors(named.space->dimension(), 3, 3);
        const base::MultiVector x = test::part_of(*named.space, any, sign, leak);
        const base::MultiVector expected = product_of(*one, x);
        for (const int size : test::rank_runner.sizes())
          test::rank_runner.run(size, [&](const base::Communicator& ranks) {
            SCOPED_TRACE(base::concat(named.name, " on ", size, ", ", sign, ", leak ", leak));
            ASSERT_NO_FATAL_FAILURE(
                expect_own_rows(distributed_computed(ranks, h), ranks.rank(), x, expected));
          });
      }
  }
}

TEST_F(DistributedFactorised, RemoveSmallComponentsOfTheOtherParity) {
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    const HamiltonianRows h = named.rows();
    const base::MultiVector any = test::random_vectors(named.space->dimension(), 2, 3);
    for (const double sign : {1.0, -1.0}) {
      const base::MultiVector pure = test::part_of(*named.space, any, sign, 0);
      const base::MultiVector x = test::part_of(*named.space, any, sign, 1e-3);
      for (const int size : test::rank_runner.sizes())
        test::rank_runner.run(size, [&](const base::Communicator& ranks) {
          SCOPED_TRACE(base::concat(named.name, " on ", size, ", ", sign));
          const base::DistributedOperator shared = distributed_computed(ranks, h);
          const base::MultiVector mine = own_rows(shared.layout, ranks.rank(), x);
          base::MultiVector vectors = mine.to(of_rank());
          const auto* projector = base::SymmetryProjector::of(*shared.product);
          ASSERT_NE(projector, nullptr);
          EXPECT_EQ(projector->project_symmetry(1e-6, vectors.block()), 0);
          base::MultiVector on_one_thread = vectors.to(one_thread());
          for (Index i = 0; i < mine.rows(); ++i) ASSERT_EQ(on_one_thread(i, 0), mine(i, 0)) << i;
          const double taken = projector->project_symmetry(0.1, vectors.block());
          on_one_thread = vectors.to(one_thread());
          EXPECT_NEAR(taken, 1e-3, 3e-4);
          EXPECT_TRUE(ranks.all_same(taken));
          const base::MultiVector expected = own_rows(shared.layout, ranks.rank(), pure);
          for (int j = 0; j < mine.columns(); ++j)
            for (Index i = 0; i < mine.rows(); ++i)
              ASSERT_NEAR(on_one_thread(i, j), expected(i, j), 1e-14) << i << ", vector " << j;
        });
    }
  }
}

TEST_F(DistributedFactorised, BalanceWorkAndRowsOverRanks) {
  const NamedHamiltonian named = test::named("full CI", test::random_integrals(9, false, 5, {}),
                                             full_ci({9, 4, 4}, base::Backend::openmp()));
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const base::DistributedOperator shared = distributed_computed(ranks, named.rows());
      const double even = static_cast<double>(named.space->dimension()) / size;
      for (int r = 0; r < size; ++r)
        EXPECT_NEAR(static_cast<double>(shared.layout.count(r)), even, 0.15 * even) << r;
    });
}

}  // namespace
}  // namespace cisolve::ci

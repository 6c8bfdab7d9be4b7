#pragma once

#include <gtest/gtest.h>

#include "base/ranks/whole_vectors.hpp"
#include "base/text.hpp"
#include "ci/on_the_fly/computed_hamiltonian.hpp"
#include "ci/on_the_fly/item_shares.hpp"
#include "ci/on_the_fly/mixed.hpp"
#include "tests/support/factorised_systems.hpp"
#include "tests/support/rank_runner.hpp"

// What products that store nothing have to do where their rows are shared out, on all kinds of
// ranks: what they do in one process, to the bit.
namespace cisolve::ci {
namespace {  // NOLINT: of each program its own

using test::NamedHamiltonian;

base::Backend one_thread() { return base::Backend::openmp(1); }

/// The rows of whole vectors that a rank has.
base::MultiVector own_rows(const base::Layout& layout, int rank, const base::MultiVector& x) {
  base::MultiVector mine(base::Backend::reference(), layout.count(rank), x.columns());
  for (const base::Layout::Piece& piece : layout.pieces_of(rank))
    for (int j = 0; j < x.columns(); ++j)
      for (Index i = 0; i < piece.count; ++i) mine(piece.at + i, j) = x(piece.first + i, j);
  return mine;
}

base::MultiVector product_of(const base::LinearOperator& one, const base::MultiVector& x) {
  base::MultiVector y(base::Backend::reference(), one.rows(), x.columns());
  one.apply(x.block(), y.block());
  return y;
}

/// Whether a rank has its rows of what one process finds, between columns that stay what they were.
void expect_share(const base::SharedOperator& shared, int rank, const base::MultiVector& x,
                  const base::MultiVector& expected) {
  const base::MultiVector mine = own_rows(shared.layout, rank, x);
  ASSERT_EQ(shared.layout.rows(), x.rows());
  ASSERT_EQ(shared.product->rows(), mine.rows());
  const base::MultiVector y = test::framed_product(*shared.product, mine, one_thread());
  const base::MultiVector found = own_rows(shared.layout, rank, expected);
  for (int j = 0; j < x.columns(); ++j)
    for (Index i = 0; i < mine.rows(); ++i)
      ASSERT_EQ(y(i, j), found(i, j)) << "row " << i << " of rank " << rank << ", vector " << j;
}

void expect_diagonal(const base::SharedOperator& shared, int rank,
                     const base::LinearOperator& one) {
  base::MultiVector expected(base::Backend::reference(), one.rows(), 1);
  ASSERT_TRUE(one.diagonal(expected.block()));
  base::MultiVector d(base::Backend::reference(), shared.product->rows(), 1);
  ASSERT_TRUE(shared.product->diagonal(d.block()));
  const base::MultiVector found = own_rows(shared.layout, rank, expected);
  for (Index i = 0; i < d.rows(); ++i) ASSERT_EQ(d(i, 0), found(i, 0)) << i;
}

/// A way to compute elements, by name.
struct FlyWay {
  std::string name;
  std::function<Operator(const HamiltonianRows&)> product;
};

std::vector<FlyWay> fly_ways(const HamiltonianRows& h) {
  std::vector<FlyWay> ways;
  if (BlockTables::of(h, one_thread()))
    ways.push_back({"blocks", [](const HamiltonianRows& of) {
                      return by_blocks(*BlockTables::of(of, one_thread()));
                    }});
  if (ListTables::of(h, one_thread()))
    ways.push_back({"lists", [](const HamiltonianRows& of) {
                      return by_lists(of, *ListTables::of(of, one_thread()));
                    }});
  ways.push_back({"rows", [](const HamiltonianRows& of) { return by_rows(of); }});
  return ways;
}

base::SharedOperator share_of(const base::Communicator& ranks, Operator product) {
  const base::Layout layout = share_items(product->items(), ranks.size());
  keep_items_of(*product, layout, ranks.rank());
  return {base::share_of_rows(ranks, layout, std::move(product), one_thread()), layout};
}

TEST(SharedOnTheFly, GivesTheBitsOfOneProcess) {
  for (const NamedHamiltonian& named : test::all_kinds()) {
    const HamiltonianRows h = named.rows();
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 5, 3);
    for (const FlyWay& way : fly_ways(h)) {
      const Operator one = way.product(h);
      const base::MultiVector expected = product_of(*one, x);
      for (const int size : test::rank_runner.sizes())
        test::rank_runner.run(size, [&](const base::Communicator& ranks) {
          SCOPED_TRACE(base::concat(named.name, " by ", way.name, " on ", size));
          const base::SharedOperator shared = share_of(ranks, way.product(h));
          ASSERT_NO_FATAL_FAILURE(expect_share(shared, ranks.rank(), x, expected));
          expect_diagonal(shared, ranks.rank(), *one);
        });
    }
  }
}

TEST(SharedOnTheFly, StoresAPartOfEachShare) {
  const sparse::FormatOptions storage{.format = "hybrid", .share = {{.elements = 0.5}}};
  const Partition canonical(one_thread());
  for (const NamedHamiltonian& named : test::all_kinds()) {
    const HamiltonianRows h = named.rows();
    const HamiltonianRows in_order(*named.space, *named.integrals, canonical, named.threshold);
    const sparse::Csr stored = sparse::build_csr(in_order, one_thread());
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 2, 3);
    for (const int size : test::rank_runner.sizes())
      test::rank_runner.run(size, [&](const base::Communicator& ranks) {
        SCOPED_TRACE(base::concat(named.name, " on ", size));
        Operator items = ComputedHamiltonian(h).product(one_thread());
        const base::Layout layout = share_items(items->items(), size);
        keep_items_of(*items, layout, ranks.rank());
        auto mixed = std::make_unique<MixedProduct>(h, std::move(items), storage, one_thread());
        const auto pieces = layout.pieces_of(ranks.rank());
        mixed->begin_y_with(pieces.empty() ? 0 : pieces.front().first);
        double nonzeros = static_cast<double>(mixed->nonzeros());
        double held = mixed->stored() == nullptr ? 0.0 : 1.0;
        ranks.sum({&nonzeros, 1});
        ranks.sum({&held, 1});
        EXPECT_EQ(nonzeros, stored.values.size());
        EXPECT_TRUE(held > 0 || x.rows() < 200);
        const auto shared = base::share_of_rows(ranks, layout, std::move(mixed), one_thread());
        const base::MultiVector mine = own_rows(layout, ranks.rank(), x);
        const base::MultiVector y = test::framed_product(*shared, mine, one_thread());
        std::vector<double> whole(x.rows());
        for (int j = 0; j < x.columns(); ++j) {
          base::everywhere(ranks, layout, y.block().column(j), whole.data());
          for (Index row = 0; row < x.rows(); ++row) {
            const test::ExpectedProduct sum = test::expected_product(stored, x, row, j);
            ASSERT_NEAR(whole[row], sum.value, 1e-13 * sum.magnitude) << row << ", vector " << j;
          }
        }
      });
  }
}

base::SharedOperator share_of(const base::Communicator& ranks, const HamiltonianRows& h) {
  return FactorisedHamiltonian(h).shared_product(ranks, one_thread());
}

TEST(SharedFactors, GiveTheBitsOfOneProcess) {
  for (const NamedHamiltonian& named : test::factorised_kinds()) {
    const HamiltonianRows h = named.rows();
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 5, 3);
    const auto one = FactorisedHamiltonian(h).product(one_thread());
    const base::MultiVector expected = product_of(*one, x);
    for (const int size : test::rank_runner.sizes())
      test::rank_runner.run(size, [&](const base::Communicator& ranks) {
        SCOPED_TRACE(base::concat(named.name, " on ", size));
        const base::SharedOperator shared = share_of(ranks, h);
        ASSERT_NO_FATAL_FAILURE(expect_share(shared, ranks.rank(), x, expected));
        expect_diagonal(shared, ranks.rank(), *one);
      });
  }
}

TEST(SharedFactors, GiveTheBitsOfOneProcessToEvenAndOddVectors) {
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    const HamiltonianRows h = named.rows();
    const auto one = FactorisedHamiltonian(h).product(one_thread());
    for (const double sign : {1.0, -1.0})
      for (const double leak : {0.0, 1e-17, 1e-3}) {
        const base::MultiVector any = test::random_vectors(named.space->dimension(), 3, 3);
        const base::MultiVector x = test::part_of(*named.space, any, sign, leak);
        const base::MultiVector expected = product_of(*one, x);
        for (const int size : test::rank_runner.sizes())
          test::rank_runner.run(size, [&](const base::Communicator& ranks) {
            SCOPED_TRACE(base::concat(named.name, " on ", size, ", ", sign, ", leak ", leak));
            ASSERT_NO_FATAL_FAILURE(expect_share(share_of(ranks, h), ranks.rank(), x, expected));
          });
      }
  }
}

TEST(SharedFactors, TakeSmallPartsOfTheOtherParityFromVectors) {
  for (const NamedHamiltonian& named : test::flipped_kinds()) {
    const HamiltonianRows h = named.rows();
    const base::MultiVector any = test::random_vectors(named.space->dimension(), 2, 3);
    for (const double sign : {1.0, -1.0}) {
      const base::MultiVector pure = test::part_of(*named.space, any, sign, 0);
      const base::MultiVector x = test::part_of(*named.space, any, sign, 1e-3);
      for (const int size : test::rank_runner.sizes())
        test::rank_runner.run(size, [&](const base::Communicator& ranks) {
          SCOPED_TRACE(base::concat(named.name, " on ", size, ", ", sign));
          const base::SharedOperator shared = share_of(ranks, h);
          const base::MultiVector mine = own_rows(shared.layout, ranks.rank(), x);
          base::MultiVector there = mine.to(one_thread());
          EXPECT_EQ(shared.product->purify(1e-6, there.block()), 0);
          for (Index i = 0; i < mine.rows(); ++i) ASSERT_EQ(there(i, 0), mine(i, 0)) << i;
          const double taken = shared.product->purify(0.1, there.block());
          EXPECT_NEAR(taken, 1e-3, 3e-4);
          EXPECT_TRUE(ranks.all_same(taken));
          const base::MultiVector expected = own_rows(shared.layout, ranks.rank(), pure);
          for (int j = 0; j < mine.columns(); ++j)
            for (Index i = 0; i < mine.rows(); ++i)
              ASSERT_NEAR(there(i, j), expected(i, j), 1e-14) << i << ", vector " << j;
        });
    }
  }
}

TEST(SharedFactors, HaveAsMuchWorkAndAsManyRowsOnEachRank) {
  const NamedHamiltonian named = test::named("full CI", test::random_integrals(9, false, 5, {}),
                                             full_ci({9, 4, 4}, base::Backend::openmp()));
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const base::SharedOperator shared = share_of(ranks, named.rows());
      const double even = static_cast<double>(named.space->dimension()) / size;
      for (int r = 0; r < size; ++r)
        EXPECT_NEAR(static_cast<double>(shared.layout.count(r)), even, 0.15 * even) << r;
    });
}

}  // namespace
}  // namespace cisolve::ci

#pragma once

#include <gtest/gtest.h>

#include "sparse/distributed/distributed_matrix.hpp"
#include "sparse/distributed/rank_rows.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/products.hpp"
#include "tests/support/rank_runner.hpp"
#include "tests/support/vectors.hpp"

// Tests of a matrix with distributed rows, on all kinds of ranks.
namespace cisolve::sparse {
namespace {  // NOLINT: of each program its own

constexpr Index kDimension = 230;

/// A few rows with most of the elements, some with none.
test::Elements uneven_matrix() {
  std::vector<Index> lengths(kDimension);
  for (Index i = 0; i < kDimension; ++i) lengths[i] = i < 9 ? 200 - i : (i * 7919) % 13;
  test::Elements matrix = test::random_elements(lengths, kDimension, 3);
  matrix.shape.symmetric = true;  // not read by products
  for (Index i = 0; i < kDimension; i += 2) matrix.at[{i, i}] = 1.0 / static_cast<double>(i + 1);
  return matrix;
}

void expect_share_of_product(const DistributedMatrix& shared, const test::Elements& matrix,
                             int rank, int vectors) {
  const base::MultiVector x = test::random_vectors(kDimension, vectors, 5);
  const auto exact = test::exact_products(matrix, x);
  const Index count = shared.layout().count(rank);
  const Index first = count > 0 ? shared.layout().pieces_of(rank).front().first : 0;
  base::MultiVector mine(base::Backend::reference(), count, vectors);
  base::MultiVector y(base::Backend::reference(), count, vectors);
  for (int j = 0; j < vectors; ++j)
    for (Index i = 0; i < count; ++i) mine(i, j) = x(first + i, j);
  shared.apply(std::as_const(mine).block(), y.block());
  for (int j = 0; j < vectors; ++j)
    for (Index i = 0; i < count; ++i) {
      const test::ExactRow& row = exact[j][first + i];
      EXPECT_NEAR(y(i, j), static_cast<double>(row.sum), 1e-14 * static_cast<double>(row.magnitude))
          << shared.own()->format() << ", row " << first + i << ", vector " << j;
    }
}

std::vector<base::Layout> layouts_of(const base::Communicator& ranks, const RowSource& rows) {
  const int size = ranks.size();
  std::vector<Index> all_on_last(size, 0), increasing(size, 1);
  all_on_last.back() = kDimension;
  increasing.back() += kDimension - size;
  return {distribute_rows(ranks, rows, base::Backend::reference()),
          base::Layout::even(kDimension, size), base::Layout::of_counts(all_on_last),
          base::Layout::of_counts(increasing)};
}

TEST(DistributedMatrix, EveryFormatMultipliesAsTheWholeMatrixForAnyDistribution) {
  const test::Elements matrix = uneven_matrix();
  const test::ElementRows rows(matrix);
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      for (const base::Layout& layout : layouts_of(ranks, rows))
        for (const std::string& format : format_names()) {
          const DistributedMatrix shared(ranks, rows, layout, {.format = format},
                                         base::Backend::openmp(1));
          ASSERT_EQ(shared.rows(), layout.count(ranks.rank()));
          for (const int vectors : {1, 2, 9})
            expect_share_of_product(shared, matrix, ranks.rank(), vectors);
        }
    });
}

// The solver's vectors take the remaining memory before the first product.
TEST(DistributedMatrix, HoldsTheWorkspaceOfItsProducts) {
  const test::Elements matrix = uneven_matrix();
  const test::ElementRows rows(matrix);
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const auto little = base::Backend::openmp(1, {.host_bytes = 1 << 20});
      const base::Layout layout = base::Layout::even(kDimension, size);
      const DistributedMatrix shared(ranks, rows, layout, {.format = "csr"}, little);
      const base::Reservation others(little.memory(), little.memory().left(), "what others take");
      for (const int vectors : {1, 5})
        expect_share_of_product(shared, matrix, ranks.rank(), vectors);
    });
}

TEST(DistributedMatrix, KnowsItsDiagonal) {
  const test::Elements matrix = uneven_matrix();
  const test::ElementRows rows(matrix);
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const DistributedMatrix shared(ranks, rows, base::Layout::even(kDimension, size), {},
                                     base::Backend::openmp(1));
      base::MultiVector d(base::Backend::reference(), shared.rows(), 1);
      ASSERT_TRUE(shared.diagonal(d.block()));
      const auto pieces = shared.layout().pieces_of(ranks.rank());
      for (Index i = 0; i < shared.rows(); ++i) {
        const auto found = matrix.at.find({pieces.front().first + i, pieces.front().first + i});
        EXPECT_EQ(d(i, 0), found == matrix.at.end() ? 0 : found->second);
      }
    });
}

TEST(DistributedMatrix, FetchesOnlyWhatItsRowsNeed) {
  test::Elements matrix{{40, 40, 0, true}, {}};
  for (Index i = 0; i < 40; ++i)
    for (Index k = std::max<Index>(0, i - 1); k <= std::min<Index>(39, i + 1); ++k)
      matrix.at[{i, k}] = 1;
  const test::ElementRows rows(matrix);
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const DistributedMatrix shared(ranks, rows, base::Layout::even(40, size), {},
                                     base::Backend::openmp(1));
      const int neighbours = (ranks.rank() > 0 ? 1 : 0) + (ranks.rank() + 1 < size ? 1 : 0);
      EXPECT_EQ(shared.fetched(), neighbours);
    });
}

TEST(DistributedRows, BalanceElementsOverRanks) {
  test::Elements matrix{{kDimension, kDimension, 0, true}, {}};
  for (Index i = 0; i < kDimension; ++i)
    for (Index k = 0; k <= i; ++k) matrix.at[{i, k}] = 1;
  const test::ElementRows rows(matrix);
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const base::Layout layout = distribute_rows(ranks, rows, base::Backend::openmp(1));
      ASSERT_EQ(layout.ranks(), size);
      ASSERT_EQ(layout.rows(), kDimension);
      Index row = 0;
      for (int r = 0; r < size; ++r) {
        double elements = 0;
        for (Index i = 0; i < layout.count(r); ++i) elements += static_cast<double>(++row);
        EXPECT_NEAR(elements, 0.5 * kDimension * (kDimension + 1) / size, kDimension) << r;
      }
    });
}

TEST(DistributedRows, RanksBeyondTheRowsHaveNone) {
  const test::Elements matrix{{2, 2, 0, true}, {{{0, 0}, 1}, {{1, 1}, 2}}};
  const test::ElementRows rows(matrix);
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const base::Communicator& ranks) {
      const base::Layout layout = distribute_rows(ranks, rows, base::Backend::openmp(1));
      EXPECT_EQ(layout.rows(), 2);
      const DistributedMatrix shared(ranks, rows, layout, {}, base::Backend::openmp(1));
      base::MultiVector x(base::Backend::reference(), shared.rows(), 1);
      base::MultiVector y(base::Backend::reference(), shared.rows(), 1);
      for (Index i = 0; i < shared.rows(); ++i) x(i, 0) = 3;
      shared.apply(std::as_const(x).block(), y.block());
      for (Index i = 0; i < shared.rows(); ++i)
        EXPECT_EQ(y(i, 0),
                  3 * static_cast<double>(layout.pieces_of(ranks.rank()).front().first + i + 1));
    });
}

}  // namespace
}  // namespace cisolve::sparse

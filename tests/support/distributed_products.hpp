#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "base/ranks/vector_exchange.hpp"
#include "base/text.hpp"
#include "ci/hamiltonian/on_the_fly/computed_hamiltonian.hpp"
#include "ci/hamiltonian/on_the_fly/item_distribution.hpp"
#include "ci/hamiltonian/on_the_fly/partly_stored.hpp"
#include "ci/hamiltonian/rows/chosen_rows.hpp"
#include "sparse/distributed/stored_rows.hpp"
#include "sparse/rows/build.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/factorised_systems.hpp"
#include "tests/support/rank_runner.hpp"

// Helpers of tests of products whose rows are distributed among ranks.
namespace cisolve::ci {

using test::NamedHamiltonian;

inline base::Backend one_thread() { return base::Backend::openmp(1); }

/// Backend of the vectors of ranks.
inline base::Backend of_rank() { return test::rank_backend(); }

/// A rank's rows of whole vectors.
inline base::MultiVector own_rows(const base::Layout& layout, int rank,
                                  const base::MultiVector& x) {
  base::MultiVector mine(base::Backend::reference(), layout.count(rank), x.columns());
  for (const base::Layout::Piece& piece : layout.pieces_of(rank))
    for (int j = 0; j < x.columns(); ++j)
      for (Index i = 0; i < piece.count; ++i) mine(piece.at + i, j) = x(piece.first + i, j);
  return mine;
}

inline base::MultiVector product_of(const base::LinearOperator& one, const base::MultiVector& x) {
  const base::MultiVector on_backend = x.to(of_rank());
  base::MultiVector y(on_backend.backend(), one.rows(), x.columns());
  one.apply(on_backend.block(), y.block());
  return y.to(base::Backend::reference());
}

inline base::MultiVector diagonal_of(const base::LinearOperator& one) {
  base::MultiVector d(of_rank(), one.rows(), 1);
  EXPECT_TRUE(one.diagonal(d.block()));
  return d.to(base::Backend::reference());
}

/// Expects that a rank has its rows of the result of one process, between guard columns.
inline void expect_own_rows(const base::DistributedOperator& shared, int rank,
                            const base::MultiVector& x, const base::MultiVector& expected) {
  const base::MultiVector mine = own_rows(shared.layout, rank, x);
  ASSERT_EQ(shared.layout.rows(), x.rows());
  ASSERT_EQ(shared.product->rows(), mine.rows());
  const base::MultiVector y = test::framed_product(*shared.product, mine, of_rank());
  const base::MultiVector found = own_rows(shared.layout, rank, expected);
  for (int j = 0; j < x.columns(); ++j)
    for (Index i = 0; i < mine.rows(); ++i)
      ASSERT_EQ(y(i, j), found(i, j)) << "row " << i << " of rank " << rank << ", vector " << j;
}

inline void expect_diagonal(const base::DistributedOperator& shared, int rank,
                            const base::MultiVector& expected) {
  const base::MultiVector d = diagonal_of(*shared.product);
  const base::MultiVector found = own_rows(shared.layout, rank, expected);
  for (Index i = 0; i < d.rows(); ++i) ASSERT_EQ(d(i, 0), found(i, 0)) << i;
}

/// A way to compute elements, by name.
struct OnTheFlyMethod {
  std::string name;
  std::function<ComputedProductPtr(const HamiltonianRows&)> product;
};

inline std::vector<OnTheFlyMethod> on_the_fly_methods(const HamiltonianRows& h) {
  std::vector<OnTheFlyMethod> ways;
  const bool is_host = of_rank().is_host();
  if (BlockTables::of(h, of_rank()))
    ways.push_back({"blocks", [is_host](const HamiltonianRows& of) {
                      auto tables = *BlockTables::of(of, of_rank());
                      return is_host ? by_blocks(std::move(tables))
                                     : cuda::by_blocks(std::move(tables));
                    }});
  if (ListTables::of(h, of_rank()))
    ways.push_back({"lists", [is_host](const HamiltonianRows& of) {
                      auto tables = *ListTables::of(of, of_rank());
                      return is_host ? by_lists(of, std::move(tables))
                                     : cuda::by_lists(of, std::move(tables));
                    }});
  ways.push_back({"rows", [is_host](const HamiltonianRows& of) {
                    return is_host ? by_rows(of) : cuda::by_rows(of, of_rank());
                  }});
  return ways;
}

inline base::DistributedOperator distributed_computed(const base::Communicator& ranks,
                                                      ComputedProductPtr product) {
  const base::Layout layout = distribute_items(product->items(), ranks.size());
  keep_items_of(*product, layout, ranks.rank());
  return {base::make_distributed_operator(ranks, layout, std::move(product), of_rank()), layout};
}

/// Stored operator with equal numbers of rows per rank and the columns of all.
inline base::DistributedOperator distributed_stored(const base::Communicator& ranks,
                                                    const HamiltonianRows& h,
                                                    const sparse::FormatOptions& storage) {
  const base::Layout layout = base::Layout::even(h.space().dimension(), ranks.size());
  const auto pieces = layout.pieces_of(ranks.rank());
  const Index first = pieces.empty() ? 0 : pieces.front().first;
  std::vector<Column> rows(layout.count(ranks.rank()));
  std::iota(rows.begin(), rows.end(), static_cast<Column>(first));
  const ChosenRows mine(h, rows);
  const auto lengths = sparse::row_lengths(mine, one_thread());
  auto stored = std::make_unique<sparse::StoredRows>(
      mine, first, sparse::diagonal_of(mine, lengths.span(), first, one_thread()), storage,
      of_rank());
  EXPECT_EQ(stored->matrix() == nullptr, rows.empty());
  return {base::make_distributed_operator(ranks, layout, std::move(stored), of_rank()), layout};
}

inline base::DistributedOperator distributed_computed(const base::Communicator& ranks,
                                                      const HamiltonianRows& h) {
  return FactorisedHamiltonian(h).distributed_product(ranks, of_rank());
}

}  // namespace cisolve::ci

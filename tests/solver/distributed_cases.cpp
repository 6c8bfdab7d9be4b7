#include "tests/solver/distributed_cases.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <ostream>

#include "base/array.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/sanitizers.hpp"

namespace cisolve::test {

namespace {

/// More pieces than ranks, of different sizes, in reverse order.
base::Layout in_pieces(int ranks, Index rows) {
  std::vector<base::Layout::Piece> pieces;
  const int most = 2 * ranks + 1;
  for (int p = most; p-- > 0;) {
    const Index first = rows * p * p / (most * most);
    pieces.push_back({p % ranks, first, rows * (p + 1) * (p + 1) / (most * most) - first});
  }
  return base::Layout::of_pieces(ranks, pieces);
}

}  // namespace

base::Layout RowDistribution::of(Index rows) const {
  if (name == "even") return base::Layout::even(rows, ranks);
  if (name == "in_pieces") return in_pieces(ranks, rows);
  std::vector<Index> counts(ranks);
  Index left = rows;
  for (int r = 0; r + 1 < ranks; ++r) {
    const bool is_empty = name == "with_empty_ones" && r % 2 == 0;
    counts[r] = is_empty ? 0 : std::min(left, rows * (r + 1) / (Index{ranks} * ranks) + r);
    left -= counts[r];
  }
  counts.back() = left;
  return base::Layout::of_counts(counts);
}

std::vector<RowDistribution> all_distributions() {
  std::vector<RowDistribution> all = {{1, "even"}, {1, "in_pieces"}};
  const std::vector<int> numbers = kSanitized ? std::vector{2, 5} : std::vector{2, 3, 5, 7};
  for (const int ranks : numbers)
    for (const char* name : {"even", "uneven", "with_empty_ones", "in_pieces"})
      all.push_back({ranks, name});
  return all;
}

std::ostream& operator<<(std::ostream& out, const RowDistribution& distribution) {
  return out << distribution.ranks << "_ranks_" << distribution.name;
}

std::vector<Index> rows_of(const base::Layout& layout, int rank) {
  std::vector<Index> rows;
  for (const base::Layout::Piece& piece : layout.pieces_of(rank))
    for (Index i = 0; i < piece.count; ++i) rows.push_back(piece.first + i);
  return rows;
}

base::Backend backend_of_rank(Index host_bytes) {
  return base::Backend::by_name(backend_name(), 1, {.host_bytes = host_bytes});
}

DistributedOperator::DistributedOperator(const Dense& whole, base::Backend backend,
                                         const base::Communicator& ranks,
                                         const base::Layout& layout, bool knows_diagonal)
    : mine_(whole(rows_of(layout, ranks.rank()), Eigen::all)),
      diagonal_(whole.diagonal()(rows_of(layout, ranks.rank()))),
      backend_(std::move(backend)),
      ranks_(ranks),
      layout_(layout),
      knows_diagonal_(knows_diagonal) {}

Eigen::VectorXd DistributedOperator::vector_of_all(const double* mine) const {
  Eigen::VectorXd one(rows());
  base::copy_bytes(backend_, mine, backend_.host(), one.data(), rows() * Index{sizeof(double)});
  const Eigen::VectorXd send = one.replicate(ranks_.size(), 1);
  const std::vector<Index> sent(ranks_.size(), rows());
  std::vector<Index> received;
  for (int r = 0; r < ranks_.size(); ++r) received.push_back(layout_.count(r));
  Eigen::VectorXd joined(layout_.rows());
  ranks_.exchange({send.data(), static_cast<std::size_t>(send.size())}, sent,
                  {joined.data(), static_cast<std::size_t>(joined.size())}, received);
  Eigen::VectorXd all(layout_.rows());
  Index next = 0;
  for (int r = 0; r < ranks_.size(); ++r)
    for (const Index row : rows_of(layout_, r)) all[row] = joined[next++];
  return all;
}

void DistributedOperator::apply(base::ConstBlock x, base::Block y) const {
  for (int j = 0; j < x.columns; ++j) {
    const Eigen::VectorXd product = mine_ * vector_of_all(x.column(j));
    base::copy_bytes(backend_.host(), product.data(), backend_, y.column(j),
                     rows() * Index{sizeof(double)});
  }
}

bool DistributedOperator::diagonal(base::Block d) const {
  if (knows_diagonal_)
    base::copy_bytes(backend_.host(), diagonal_.data(), backend_, d.column(0),
                     rows() * Index{sizeof(double)});
  return knows_diagonal_;
}

Member::Member(const base::Communicator& communicator, const Dense& whole,
               const RowDistribution& distribution, bool knows_diagonal, Index host_bytes)
    : ranks(communicator),
      layout(distribution.of(whole.rows())),
      backend(backend_of_rank(host_bytes)),
      matrix(whole, backend, ranks, layout, knows_diagonal),
      problem{matrix, backend, ranks, layout} {}

Found solved_by(const RowDistribution& distribution, const Dense& whole,
                const std::function<solver::Result(Member&)>& solve, bool knows_diagonal) {
  std::vector<std::optional<solver::Result>> results(distribution.ranks);
  Dense vectors;
  std::mutex mutex;
  base::run_as_ranks(distribution.ranks, [&](const base::Communicator& ranks) {
    Member member(ranks, whole, distribution, knows_diagonal);
    auto& result = results[ranks.rank()].emplace(solve(member));
    result.vectors = result.vectors.to(member.backend.host());
    const std::scoped_lock lock(mutex);
    vectors.conservativeResize(whole.rows(), result.vectors.columns());
    const std::vector<Index> rows = rows_of(result.layout, ranks.rank());
    for (int j = 0; j < result.vectors.columns(); ++j)
      for (Index i = 0; i < result.vectors.rows(); ++i) vectors(rows[i], j) = result.vectors(i, j);
  });
  Found found{{}, std::move(vectors)};
  for (auto& result : results) found.of_rank.push_back(std::move(*result));
  const solver::Result& first = found.of_rank.front();
  for (const solver::Result& other : found.of_rank) {
    EXPECT_EQ(energies_of(other), energies_of(first));
    EXPECT_EQ(other.products, first.products);
    EXPECT_EQ(other.iterations, first.iterations);
    EXPECT_EQ(other.method, first.method);
    EXPECT_EQ(other.note, first.note);
    EXPECT_EQ(other.completeness, first.completeness);
    EXPECT_EQ(other.search, first.search);
    EXPECT_EQ(other.next, first.next);
    EXPECT_EQ(other.rounding, first.rounding);
    for (std::size_t j = 0; j < first.states.size(); ++j) {
      EXPECT_EQ(other.states[j].status, first.states[j].status);
      EXPECT_EQ(other.states[j].residual, first.states[j].residual);
      EXPECT_EQ(other.states[j].error_bound, first.states[j].error_bound);
    }
  }
  return found;
}

base::MultiVector own_rows_of(const Dense& x, const Member& member) {
  return on_backend(x(rows_of(member.layout, member.ranks.rank()), Eigen::all), member.backend);
}

}  // namespace cisolve::test

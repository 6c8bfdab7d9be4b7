#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "solver/task/snapshot.hpp"
#include "solver/vectors/vectors.hpp"
#include "tests/solver/distributed_cases.hpp"
#include "tests/support/backend.hpp"

// Operations on distributed vectors equal those of one process, with rows numbered over all ranks.
namespace cisolve::test {
namespace {

using solver::SmallMatrix;

class RankVectors : public BackendTest, public testing::WithParamInterface<RowDistribution> {
 protected:
  static constexpr int kRows = 61;

  /// Calls `work` on each rank, with its vectors and the numbers of its rows.
  void on_ranks(
      const std::function<void(Member&, solver::Vectors&, const std::vector<Index>&)>& work) const {
    base::run_as_ranks(GetParam().ranks, [&](const base::Communicator& ranks) {
      Member member(ranks, Dense::Zero(kRows, kRows), GetParam());
      solver::Vectors vectors(member.backend, ranks, member.layout, 4);
      work(member, vectors, rows_of(member.layout, ranks.rank()));
    });
  }

  /// One at a time, or several as in a snapshot.
  static void gather_to_root(bool together, solver::Vectors& vectors, solver::ConstColumns v,
                             const SmallMatrix& c, const solver::ElementSink& take) {
    if (!together) return vectors.gather_to_root(v, c, take);
    ASSERT_TRUE(vectors.have_memory_for(c.columns()));
    solver::Snapshot(vectors, v, c, {}, 0, 0).gather_to_root(take);
  }

  const Dense x_ = random_symmetric(kRows, 3).leftCols(4);
};

INSTANTIATE_TEST_SUITE_P(Distributions, RankVectors, testing::ValuesIn(all_distributions()),
                         testing::PrintToStringParamName());

TEST_P(RankVectors, RandomVectorsDoNotDependOnTheLayout) {
  const auto backend = backend_of_rank();
  base::MultiVector on_backend(backend, kRows, 2);
  base::block_kernels(backend).randomise(backend, 9, on_backend.block());
  const base::MultiVector whole = on_backend.to(backend.host());
  on_ranks([&](Member& member, solver::Vectors& vectors, const std::vector<Index>& own) {
    base::MultiVector y = vectors.make(2, "random vectors");
    vectors.randomise(9, y.block());
    const base::MultiVector mine = y.to(member.backend.host());
    for (int j = 0; j < 2; ++j)
      for (Index i = 0; i < mine.rows(); ++i) EXPECT_EQ(mine(i, j), whole(own[i], j));
  });
}

TEST_P(RankVectors, InnerProductsAndNormsEqualThoseOfWholeVectors) {
  const Dense gram = x_.transpose() * x_;
  const double scales[] = {1, 1e-200, 1e200, 0};
  on_ranks([&](Member& member, solver::Vectors& vectors, const std::vector<Index>&) {
    const base::MultiVector mine = own_rows_of(x_, member);
    const SmallMatrix g = vectors.gram(mine.block(), mine.block());
    for (int b = 0; b < 4; ++b)
      for (int a = 0; a < 4; ++a) EXPECT_NEAR(g(a, b), gram(a, b), 1e-13);
    for (const double scale : scales) {
      const base::MultiVector scaled = own_rows_of(scale * x_, member);
      const std::vector<double> norms = vectors.norms(scaled.block());
      for (int j = 0; j < 4; ++j)
        EXPECT_NEAR(norms[j], scale * std::sqrt(gram(j, j)), 1e-13 * scale);
    }
  });
}

TEST_P(RankVectors, RowsAreGatheredOnAllRanksAndScatteredToTheirOwners) {
  const std::vector<Index> rows{0, 5, 6, 7, 20, 43, 44, kRows - 1};
  on_ranks([&](Member& member, solver::Vectors& vectors, const std::vector<Index>& own) {
    base::MultiVector mine = own_rows_of(x_, member);
    SmallMatrix values(static_cast<int>(rows.size()), 4);
    std::ranges::fill(values.values(), 77.0);
    vectors.gather(mine.block(), rows, values);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < values.rows(); ++r) EXPECT_EQ(values(r, j), x_(rows[r], j));
    for (double& value : values.values()) value += 100;
    vectors.scatter(values, rows, mine.block());
    const base::MultiVector after = mine.to(member.backend.host());
    for (int j = 0; j < 4; ++j)
      for (Index i = 0; i < after.rows(); ++i) {
        const bool is_one = std::ranges::binary_search(rows, own[i]);
        EXPECT_EQ(after(i, j), x_(own[i], j) + (is_one ? 100 : 0));
      }
  });
}

// Values on several ranks, and NaNs.
TEST_P(RankVectors, LowestRowsAndExtremaEqualThoseOfWholeVectors) {
  Eigen::VectorXd d(kRows);
  for (int i = 0; i < kRows; ++i) d[i] = i * 7 % 5 - 2;
  Eigen::VectorXd odd = d;
  odd[0] = odd[40] = std::nan("");
  odd[60] = -std::numeric_limits<double>::infinity();
  const auto backend = backend_of_rank();
  const solver::Kernels& kernels = solver::kernels(backend);
  for (const Index count : {0, 1, 13, 14, 60, kRows, 100}) {
    const auto expected = kernels.lowest(backend, on_backend(odd, backend).block(), count);
    on_ranks([&](Member& member, solver::Vectors& vectors, const std::vector<Index>&) {
      EXPECT_EQ(vectors.lowest(own_rows_of(odd, member).block(), count), expected) << count;
      const solver::Extrema found = vectors.extrema(own_rows_of(d, member).block());
      EXPECT_EQ(found.lowest, -2);
      EXPECT_EQ(found.largest, 2);
    });
  }
}

TEST_P(RankVectors, AreStreamedToRank0InCanonicalOrder) {
  SmallMatrix c(4, 2);
  for (int k = 0; k < 8; ++k) c.values()[k] = 0.3 * k - 1;
  std::vector<double> streamed;
  std::vector<double> wanted;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < kRows; ++i) {
      wanted.push_back(0);
      for (int k = 0; k < 4; ++k) wanted.back() += x_(i, k) * c(k, j);
    }
  for (const bool together : {false, true}) {
    streamed.clear();
    on_ranks([&](Member& member, solver::Vectors& vectors, const std::vector<Index>&) {
      const base::MultiVector mine = own_rows_of(x_, member);
      gather_to_root(together, vectors, mine.block(), c, [&](std::span<const double> some) {
        streamed.insert(streamed.end(), some.begin(), some.end());
      });
    });
    ASSERT_EQ(streamed.size(), wanted.size());
    for (std::size_t i = 0; i < streamed.size(); ++i)
      EXPECT_NEAR(streamed[i], wanted[i], 1e-14) << i;
  }
}

// The other ranks' messages must be received, or they would wait forever.
TEST_P(RankVectors, AnErrorOfRank0IsReportedAfterAllVectorsArrived) {
  SmallMatrix c(4, 2);
  for (const bool together : {false, true})
    on_ranks([&](Member& member, solver::Vectors& vectors, const std::vector<Index>&) {
      int taken = 0;
      const base::MultiVector mine = own_rows_of(x_, member);
      const auto stream = [&] {
        gather_to_root(together, vectors, mine.block(), c, [&](std::span<const double>) {
          ++taken;
          throw std::runtime_error("no room");
        });
      };
      if (member.ranks.rank() == 0)
        EXPECT_THROW(stream(), std::runtime_error);
      else
        stream();
      EXPECT_EQ(taken, member.ranks.rank() == 0 ? 1 : 0);
      EXPECT_TRUE(member.ranks.all_true(true));
    });
}

TEST_P(RankVectors, AllRefuseIfOneRankLacksMemory) {
  base::run_as_ranks(GetParam().ranks, [&](const base::Communicator& ranks) {
    const bool is_short = ranks.rank() == ranks.size() - 1;
    const base::Backend backend =
        base::Backend::openmp(1, {.host_bytes = is_short ? 9000 : 1 << 20});
    const solver::Vectors vectors(backend, ranks, base::Layout::even(kRows, ranks.size()), 1);
    EXPECT_THROW(vectors.make(1000, "too many"), base::Error);
    EXPECT_TRUE(ranks.all_true(true));
    EXPECT_EQ(vectors.make(1, "one").columns(), 1);
  });
}

}  // namespace
}  // namespace cisolve::test

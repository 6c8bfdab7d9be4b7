#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "solver/sectors/search_sectors.hpp"
#include "tests/solver/two_blocks.hpp"

// Searches of both sectors with combined products.
namespace cisolve::test {
namespace {

using solver::SearchVerdict;
using solver::SectorPairOutcome;

class SearchedSectorsTest : public SectorsTest {
 protected:
  /// The lowest vectors of a block.
  static base::MultiVector lowest_of(const Dense& block, int count = 1) {
    const Eigen::SelfAdjointEigenSolver<Dense> exact(block);
    base::MultiVector x(backend_under_test().host(), block.rows(), count);
    for (int j = 0; j < count; ++j)
      for (Index i = 0; i < block.rows(); ++i) x(i, j) = exact.eigenvectors()(i, j);
    return x;
  }
  /// Both sectors of two blocks; the lowest state of the likely one is known.
  struct Ready {
    Ready(const TwoBlocks& two, const base::Backend& backend)
        : both(two.block(ParitySide::likely), two.block(ParitySide::other), backend),
          known(lowest_of(two.block(ParitySide::likely))),
          shift(two.lowest_of_likely() + 1e-9) {}
    solver::SectorSearch search_above_lowest() const { return {shift, {&known}, shift + 0.1, 500}; }

    BothBlocks both;
    base::MultiVector known;
    double shift;
  };
  std::optional<SectorPairOutcome> search(const BothBlocks& both,
                                          const solver::SectorSearch& searched,
                                          Index stop_after = 1000) const {
    Index reports = 0;
    return solver::search_sectors(both, {backend}, options(), searched,
                                  [&] { return ++reports < stop_after; });
  }
  static double quotient(const Dense& block, const base::MultiVector& direction) {
    const auto y = direction.to(base::Backend::reference());
    const Eigen::Map<const Eigen::VectorXd> v(y.block().column(0), block.rows());
    return v.dot(block * v) / v.squaredNorm();
  }
};

TEST_F(SearchedSectorsTest, ExcludesMissedStatesInBothSectors) {
  const Ready at(blocks(0.5), backend);
  const auto found = search(at.both, at.search_above_lowest());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->likely->search.verdict, SearchVerdict::excluded);
  EXPECT_EQ(found->other->search.verdict, SearchVerdict::excluded);
  EXPECT_LT(found->likely->search.miss_probability, 1e-6);
  EXPECT_LT(found->other->search.miss_probability, 1e-6);
}

/// One product per step: of both sectors until one search ends, then of the other.
TEST_F(SearchedSectorsTest, TakesAsManyProductsAsTheLongerSearch) {
  const Ready at(blocks(0.05), backend);
  const auto found = search(at.both, at.search_above_lowest());
  ASSERT_TRUE(found);
  const Index likely = found->likely->search.steps;
  const Index other = found->other->search.steps;
  EXPECT_NE(likely, other);
  EXPECT_EQ(at.both.doubles, std::min(likely, other));
  EXPECT_EQ(at.both.singles, std::max(likely, other) - std::min(likely, other));
  EXPECT_EQ(found->products, std::max(likely, other));
}

TEST_F(SearchedSectorsTest, EachSectorIsSearchedAsIfAlone) {
  const Ready at(blocks(0.5), backend);
  const auto found = search(at.both, at.search_above_lowest());
  const auto alone = search(at.both, {.shift = at.shift, .most = 500});
  ASSERT_TRUE(found && alone);
  EXPECT_FALSE(alone->likely);
  EXPECT_EQ(found->other->search.steps, alone->other->search.steps);
  EXPECT_DOUBLE_EQ(found->other->search.miss_probability, alone->other->search.miss_probability);
}

TEST_F(SearchedSectorsTest, BlocksBuiltBeforeEqualThoseItBuilds) {
  const TwoBlocks two = blocks(0.5);
  const Ready at(two, backend);
  const auto before = [&](int part) {
    const auto block = [&](ParitySide side) {
      const int size = solver::scaling_block_rows(backend, two.block(side).rows()) / part;
      return solver::lowest_block_of(two.elements(side), size);
    };
    return solver::LowestRowBlocks{block(ParitySide::likely), block(ParitySide::other)};
  };
  solver::SectorSearch searched = at.search_above_lowest();
  const auto made = search(at.both, searched);
  const solver::LowestRowBlocks same = before(1);
  searched.low = &same;
  const auto given = search(at.both, searched);
  const solver::LowestRowBlocks half = before(2);
  searched.low = &half;
  const auto smaller = search(at.both, searched);
  ASSERT_TRUE(made && given && smaller);
  EXPECT_EQ(given->likely->search.miss_probability, made->likely->search.miss_probability);
  EXPECT_EQ(given->other->search.miss_probability, made->other->search.miss_probability);
  EXPECT_NE(smaller->likely->search.miss_probability, made->likely->search.miss_probability);
  EXPECT_NE(smaller->other->search.miss_probability, made->other->search.miss_probability);
}

TEST_F(SearchedSectorsTest, BlocksAreBuiltWhileADeviceWorks) {
  const TwoBlocks two = blocks(0.5);
  ASSERT_NO_FATAL_FAILURE(expect_lowest(two, solve(two, options())));
  const int block_fills = backend.is_host() ? 0 : 1;
  EXPECT_EQ(two.elements(ParitySide::likely).fills, block_fills);
  EXPECT_EQ(two.elements(ParitySide::other).fills, block_fills);
}

TEST_F(SearchedSectorsTest, PointsToLowerStatesInEitherSector) {
  const TwoBlocks two = blocks(-0.1);
  const BothBlocks both(two.block(ParitySide::likely), two.block(ParitySide::other), backend);
  // The second state of the likely sector is known, the first was missed.
  const base::MultiVector known = lowest_of(two.block(ParitySide::likely), 2);
  const base::MultiVector second =
      base::MultiVector::copy_of(backend.host(), known.block(1, 1), backend.host());
  const Eigen::SelfAdjointEigenSolver<Dense> exact(two.block(ParitySide::likely));
  const double shift = exact.eigenvalues()[1] + 1e-9;
  const auto found = search(both, {shift, {&second}, exact.eigenvalues()[0], 500});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->likely->search.verdict, SearchVerdict::found);
  ASSERT_EQ(found->other->search.verdict, SearchVerdict::found);
  EXPECT_LT(quotient(two.block(ParitySide::likely), *found->likely->direction), shift);
  EXPECT_LT(quotient(two.block(ParitySide::other), *found->other->direction), shift);
}

TEST_F(SearchedSectorsTest, StoppingEndsAllOpenSearches) {
  const Ready at(blocks(0.5), backend);
  const auto found = search(at.both, at.search_above_lowest(), 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->products, 3);
  EXPECT_EQ(found->likely->search.verdict, SearchVerdict::stopped);
  EXPECT_EQ(found->other->search.verdict, SearchVerdict::stopped);
}

/// Starts from the second state; the search finds the first.
TEST_F(SearchedSectorsTest, AMissedStateOfTheLikelySectorIsSolvedFor) {
  Dense hidden = Dense::Constant(40, 40, -0.3) + diagonally_dominant(40, 105, 0.01);
  hidden.diagonal().array() += 4;
  const Dense likely = block_diagonal(diagonally_dominant(160, 5, 0.02), hidden);
  Dense other = diagonally_dominant(kRows / 2, 4, 0.2);
  const Eigen::SelfAdjointEigenSolver<Dense> exact(likely);
  other.diagonal().array() += exact.eigenvalues()[0] + 0.5 - TwoBlocks::lowest(other);
  for (const bool at_once : {true, false}) {
    SCOPED_TRACE(at_once);
    const TwoBlocks two(likely, other, backend, at_once);
    // A start orthogonal to the lowest state.
    base::MultiVector start(backend.host(), two.whole().rows(), 1);
    for (Index i = 0; i < start.rows(); ++i)
      start(i, 0) = i < likely.rows() ? exact.eigenvectors()(i, 1) : 0;
    const solver::Checkpoint from{std::move(start), base::Layout::whole(two.whole().rows())};
    Options wanted = options();
    wanted.model_size = 400;  // nearly all rows, on any backend
    const solver::Result result = solve(two, wanted, nullptr, &from);
    ASSERT_NO_FATAL_FAILURE(expect_lowest(two, result));
    EXPECT_EQ(result.search, SearchEnd::excluded);
    EXPECT_EQ(result.completeness, solver::Completeness::searched);
  }
}

/// Two states of the likely sector are degenerate: the search sees the second, which is counted.
TEST_F(SearchedSectorsTest, APartnerInTheLikelySectorIsCounted) {
  const Dense half = diagonally_dominant(kRows / 2, 3, 0.2);
  Dense other = diagonally_dominant(kRows / 2, 4, 0.2);
  other.diagonal().array() += TwoBlocks::lowest(half) + 0.5 - TwoBlocks::lowest(other);
  for (const bool at_once : {false, true}) {
    SCOPED_TRACE(at_once);
    const TwoBlocks two(block_diagonal(half, half), other, backend, at_once);
    const solver::Result result = solve(two, options());
    EXPECT_NEAR(result.states[0].energy, two.lowest_of_likely(), 1e-12);
    EXPECT_EQ(result.search, SearchEnd::excluded);
    EXPECT_EQ(result.beyond.states, 1);
    EXPECT_TRUE(result.beyond.counted);
  }
}

/// Excluding states just above the lowest, which the solution has seen, saves steps.
TEST_F(SearchedSectorsTest, ANearStateAboveIsDeflated) {
  Dense likely = diagonally_dominant(kRows, 3, 0.02);
  const double lowest = likely.diagonal().minCoeff();
  for (int i = 0; i < 6; ++i) likely(i, i) = lowest - 1 + 1e-3 * i;
  Dense other = diagonally_dominant(kRows / 2, 4, 0.02);
  other.diagonal().array() += TwoBlocks::lowest(likely) + 2 - TwoBlocks::lowest(other);
  const TwoBlocks two(likely, other, backend);
  Options iterated = options();
  iterated.model_size = 0;  // the block of low rows would cover all rows
  const solver::Result result = solve(two, iterated);
  ASSERT_NO_FATAL_FAILURE(expect_lowest(two, result));
  EXPECT_EQ(result.search, SearchEnd::excluded);

  const BothBlocks both(likely, other, backend);
  const base::MultiVector known = lowest_of(likely);
  const double shift = two.lowest_of_likely() + result.beyond.width;
  const auto without = search(both, {shift, {&known}, *result.next, 500});
  ASSERT_TRUE(without);
  EXPECT_EQ(without->likely->search.verdict, SearchVerdict::excluded);
  EXPECT_LT(result.search_products, 0.8 * without->likely->search.steps);
}

/// So near that the state may be mixed with it, though it lies above: the likely sector is solved
/// again.
TEST_F(SearchedSectorsTest, ANearNeighbourInTheLikelySectorIsExamined) {
  constexpr double kNear = 3e-7;
  const Dense half = diagonally_dominant(kRows / 2, 3, 0.2);
  Dense near = half;
  near.diagonal().array() += kNear;
  Dense other = diagonally_dominant(kRows / 2, 4, 0.2);
  other.diagonal().array() += TwoBlocks::lowest(half) + 0.5 - TwoBlocks::lowest(other);
  const TwoBlocks two(block_diagonal(half, near), other, backend);
  const solver::Result result = solve(two, options());
  ASSERT_NO_FATAL_FAILURE(expect_lowest(two, result));
  EXPECT_EQ(result.search, SearchEnd::excluded);
  ASSERT_TRUE(result.next);
  EXPECT_NEAR(*result.next, result.states[0].energy + kNear, 1e-8);
}

/// Stops, or throws, at one report only: after a number of reports of a search, at the first one of
/// a finished state, or at the first one of a solution after a search.
class ObjectsOnce final : public solver::Observer {
 public:
  static constexpr int kFinished = 0;
  static constexpr int kAgain = -1;
  explicit ObjectsOnce(int searched, bool throws = false) : searched_(searched), throws_(throws) {}
  bool report(const solver::Progress& progress) override {
    const bool is_searched = progress.searching && ++met_ == searched_;
    const bool is_finished = searched_ == kFinished && progress.residuals[0] < 1e-8;
    const bool is_again = searched_ == kAgain && met_ > 0 && !progress.searching;
    if (products || (!is_searched && !is_finished && !is_again)) return true;
    products = progress.products;
    if (throws_) base::fail(base::ErrorKind::resources, "no memory for what was told");
    return false;
  }
  std::optional<Index> products;  // products at that time

 private:
  int searched_;
  bool throws_;
  int met_ = 0;
};

TEST_F(SearchedSectorsTest, AStopRequestIsRemembered) {
  for (const auto effort : {solver::SearchEffort::full, solver::SearchEffort::none})
    for (const int searched : {0, 1, 2, 5, 11, 12, 13, 17, 20})
      for (const double above : {0.05, -0.05}) {
        SCOPED_TRACE(base::concat(searched, ", ", above));
        Options wanted = options();
        wanted.search = effort;
        ObjectsOnce observer(searched);
        const solver::Result result = solve(blocks(above), wanted, &observer);
        if (!observer.products) continue;
        EXPECT_EQ(result.search, SearchEnd::stopped);
        EXPECT_LE(result.products, *observer.products + 1);
        EXPECT_EQ(result.completeness, solver::Completeness::not_checked);
      }
}

TEST_F(SearchedSectorsTest, AnExceptionOfAnObserverIsNotTakenForMissingMemory) {
  for (const auto effort : {solver::SearchEffort::full, solver::SearchEffort::none})
    for (const int searched : {0, 1}) {
      Options wanted = options();
      wanted.search = effort;
      wanted.model_size = 0;
      ObjectsOnce observer(searched, true);
      EXPECT_THROW(solve(blocks(0.05), wanted, &observer), base::Error);
      EXPECT_TRUE(observer.products);
    }
  ObjectsOnce again(ObjectsOnce::kAgain, true);
  EXPECT_THROW(solve(blocks(-0.05), options(), &again), base::Error);
  EXPECT_TRUE(again.products);
}

/// After a search solving fails, while expanding the vectors succeeds.
class SolvedOnce final : public TwoBlocks {
 public:
  using TwoBlocks::TwoBlocks;
  std::unique_ptr<const solver::OperatorSector> make(ParitySide side) const override {
    ++times_;
    if (times_ == 2) base::fail(base::ErrorKind::resources, "no memory to solve");
    return TwoBlocks::make(side);
  }

 private:
  mutable int times_ = 0;
};

TEST_F(SearchedSectorsTest, AStateThatIsKnownNotToBeTheLowestIsUnfinished) {
  const TwoBlocks two = blocks(-0.1);
  const SolvedOnce narrow(two.block(ParitySide::likely), two.block(ParitySide::other), backend);
  const solver::Result result = solve(narrow, options());
  EXPECT_EQ(result.states[0].status, solver::Status::not_converged);
  EXPECT_EQ(result.search, SearchEnd::unfinished);
  EXPECT_EQ(result.completeness, solver::Completeness::not_checked);
  EXPECT_NEAR(result.states[0].energy, two.lowest_of_likely(), 1e-12);
  EXPECT_LT(residual(two, result), 1e-7);
}

}  // namespace
}  // namespace cisolve::test

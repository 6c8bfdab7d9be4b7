#include "solver/sectors/solve_by_sectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "solver/sectors/search_sectors.hpp"
#include "solver/task/snapshot.hpp"
#include "tests/solver/stops_at.hpp"
#include "tests/solver/two_blocks.hpp"

// The lowest state of two sectors, searched in both.
namespace cisolve::test {
namespace {

/// Tests run with the other sector searched after the likely one, and with both at once.
class EitherSectorTest : public SectorsTest, public ::testing::WithParamInterface<bool> {
 protected:
  TwoBlocks blocks(double above) const { return SectorsTest::blocks(above, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(OneOrBoth, EitherSectorTest, ::testing::Bool(), [](const auto& at_once) {
  return at_once.param ? "AtOnce" : "OneAfterTheOther";
});

TEST_P(EitherSectorTest, TheLowestStateIsFoundInEitherSector) {
  for (const double above : {0.5, 1e-3, -1e-3, -0.5}) {
    SCOPED_TRACE(above);
    const TwoBlocks two = blocks(above);
    const solver::Result result = solve(two, options());
    ASSERT_NO_FATAL_FAILURE(expect_lowest(two, result));
    EXPECT_EQ(result.search, SearchEnd::excluded);
    EXPECT_EQ(result.completeness, solver::Completeness::searched);
    EXPECT_LT(result.search_miss_probability, 3e-6);
    EXPECT_EQ(result.layout.rows(), two.whole().rows());
    EXPECT_GT(result.search_products, 0);
    EXPECT_LT(result.search_products, result.products);
    ASSERT_FALSE(result.history.empty());
    EXPECT_EQ(result.history.back().products, result.products);
    ASSERT_TRUE(result.next);
    EXPECT_GT(*result.next, result.states[0].energy);
  }
}

TEST_P(EitherSectorTest, AStateOfTheOtherSectorIsTheNextIfMet) {
  const TwoBlocks two = blocks(-1e-3);
  const solver::Result result = solve(two, options());
  ASSERT_TRUE(result.next);
  EXPECT_LE(*result.next, two.lowest_of_likely() + 1e-10);
}

/// Both have exactly one state of the same energy.
TEST_P(EitherSectorTest, DegeneratePartnersAreCounted) {
  for (const double above : {-1e-12, 1e-12}) {
    const TwoBlocks two = blocks(above);
    const solver::Result result = solve(two, options());
    EXPECT_TRUE(result.converged());
    EXPECT_NEAR(result.states[0].energy, std::min(two.lowest_of_likely(), two.lowest_of_other()),
                1e-12);
    EXPECT_EQ(result.search, SearchEnd::excluded);
    EXPECT_EQ(result.beyond.states, 1);
    EXPECT_TRUE(result.beyond.counted);
    ASSERT_FALSE(result.history.empty());
    EXPECT_EQ(result.history.back().products, result.products);
  }
}

/// The state is in either sector, and the other is examined in every way.
TEST_F(SectorsTest, TimesAndLimitContinueFromTheResumedSolution) {
  for (const solver::SearchEffort search : {solver::SearchEffort::full, solver::SearchEffort::none})
    for (const double above : {0.5, -1e-3}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(search) << ", " << above);
      const TwoBlocks two = blocks(above);
      Options wanted = options();
      wanted.search = search;
      wanted.start = solver::StartKind::random;
      wanted.preconditioner = solver::PreconditionerKind::diagonal;
      StopsAt stops(2);
      solve(two, wanted, &stops);
      ASSERT_TRUE(stops.saved);
      solver::Checkpoint start = *std::move(stops.saved);
      start.iterations += 100'000;
      start.products += 1'000'000'000;
      const solver::Result rest = solve(two, wanted, nullptr, &start);
      ASSERT_NO_FATAL_FAILURE(expect_lowest(two, rest));
      EXPECT_EQ(rest.timed_products, rest.products - start.products);
      EXPECT_GT(rest.seconds_of_a_product(), 0);
      wanted.max_iterations = 3;
      const solver::Result part = solve(two, wanted, nullptr, &start);
      EXPECT_FALSE(part.converged());
      EXPECT_EQ(part.iterations, start.iterations + 3);
    }
}

/// There is no memory for its other sector.
class WithoutMemory final : public TwoBlocks {
 public:
  using TwoBlocks::TwoBlocks;
  std::unique_ptr<const solver::OperatorSector> make(ParitySide side) const override {
    if (side == ParitySide::other) base::fail(base::ErrorKind::resources, "no memory for a part");
    return TwoBlocks::make(side);
  }
  std::unique_ptr<const solver::SectorPair> make_both() const override {
    base::fail(base::ErrorKind::resources, "no memory for both");
  }
};

TEST_F(SectorsTest, AStateIsKeptIfMemoryForASearchIsLacking) {
  const TwoBlocks two = blocks(0.5);
  const WithoutMemory narrow(two.block(ParitySide::likely), two.block(ParitySide::other), backend);
  const solver::Result result = solve(narrow, options());
  EXPECT_TRUE(result.converged());
  EXPECT_NEAR(result.states[0].energy, two.lowest_of_likely(), 1e-12);
  EXPECT_EQ(result.search, SearchEnd::no_memory);
  EXPECT_EQ(result.completeness, solver::Completeness::not_checked);
}

TEST_F(SectorsTest, UnconvergedStatesAreNotSearched) {
  Options few = options();
  few.max_iterations = 2;
  const solver::Result result = solve(blocks(-0.5), few);
  EXPECT_FALSE(result.converged());
  EXPECT_EQ(result.search, SearchEnd::unfinished);
  EXPECT_EQ(result.completeness, solver::Completeness::not_checked);
}

/// The residuals stay at the rounding floor, above the tolerance: both sectors are searched as
/// well.
TEST_P(EitherSectorTest, StatesLimitedByRoundingAreSearchedInBothSectors) {
  Options exact = options();
  exact.tolerance = 1e-30;
  const TwoBlocks two = blocks(-0.5);
  const solver::Result result = solve(two, exact);
  EXPECT_EQ(result.states[0].status, solver::Status::limited);
  EXPECT_NEAR(result.states[0].energy, two.lowest_of_other(), 1e-12);
}

/// A state far above the shift, only partly seen.
TEST_F(SectorsTest, AnInterruptedSearchClaimsOnlyWhatItFound) {
  const TwoBlocks two = blocks(0.5);
  const BothBlocks both(two.block(ParitySide::likely), two.block(ParitySide::other), backend);
  const auto found =
      solver::search_sectors(both, {backend}, options(),
                             {.shift = two.lowest_of_likely(), .most = 6}, [] { return true; });
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->likely);
  EXPECT_EQ(found->products, 6);
  EXPECT_EQ(both.doubles, 0);
  EXPECT_EQ(found->other->search.steps, 6);
  EXPECT_EQ(found->other->search.verdict, solver::SearchVerdict::undecided);
  EXPECT_FALSE(found->other->is_close);
}

/// Takes all host memory while it receives a checkpoint.
class SnapshotWithoutMemory final : public solver::Observer {
 public:
  explicit SnapshotWithoutMemory(const base::Backend& backend) : backend_(backend) {}
  bool report(const solver::Progress& progress) override {
    const base::Reservation all(backend_.host_memory(), backend_.host_memory().left(), "all");
    Index numbers = 0;
    progress.state.snapshot().gather_to_root(
        [&](std::span<const double> some) { numbers += std::ssize(some); });
    EXPECT_GT(numbers, 0);
    ++reports;
    return true;
  }
  int reports = 0;

 private:
  base::Backend backend_;
};

TEST_P(EitherSectorTest, ACheckpointNeedsNoExtraHostMemory) {
  if (!backend.is_host()) GTEST_SKIP() << "a device's checkpoints stand on the host";
  SnapshotWithoutMemory observer(backend);
  EXPECT_TRUE(solve(blocks(-1e-3), options(), &observer).converged());
  EXPECT_GT(observer.reports, 10);
}

/// Stops after a number of products, and keeps the checkpoint.
class StopsAfter final : public solver::Observer {
 public:
  explicit StopsAfter(Index products) : products_(products) {}
  bool report(const solver::Progress& progress) override {
    EXPECT_GE(progress.products, seen_);
    seen_ = progress.products;
    if (progress.products < products_) return true;
    saved.emplace(progress.state.checkpoint());
    return false;
  }
  std::optional<solver::Checkpoint> saved;

 private:
  Index products_;
  Index seen_ = 0;
};

TEST_P(EitherSectorTest, ResumingAtAnyTimeGivesTheSameState) {
  for (const double above : {0.3, -1e-3}) {
    const TwoBlocks two = blocks(above);
    const solver::Result whole = solve(two, options());
    for (Index stop = 1; stop < whole.products; stop += 7) {
      SCOPED_TRACE(base::concat(above, ", stopped after ", stop));
      StopsAfter stops(stop);
      const solver::Result part = solve(two, options(), &stops);
      if (!stops.saved) continue;
      EXPECT_NE(part.search, SearchEnd::excluded);
      EXPECT_EQ(part.vectors.rows(), two.whole().rows());
      EXPECT_EQ(stops.saved->layout.rows(), two.whole().rows());
      const solver::Result rest = solve(two, options(), nullptr, &*stops.saved);
      EXPECT_TRUE(rest.converged());
      EXPECT_NEAR(rest.states[0].energy, whole.states[0].energy, 1e-12);
      EXPECT_EQ(rest.search, SearchEnd::excluded);
      EXPECT_GT(rest.history.front().products, stops.saved->products);
      EXPECT_GE(rest.iterations, stops.saved->iterations);
    }
  }
}

}  // namespace
}  // namespace cisolve::test

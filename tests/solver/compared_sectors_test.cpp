#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solver/sectors/sector_observers.hpp"
#include "tests/solver/two_blocks.hpp"

// The lowest state of two sectors without a search of the other one.
namespace cisolve::test {
namespace {

TEST_F(SectorsTest, WithoutASearchTheOtherSectorIsFollowedUntilItIsClearlyAbove) {
  Options none = options();
  none.search = solver::SearchEffort::none;
  none.model_size = 0;  // Ritz values descend from far above
  std::vector<Index> products;
  for (const double above : {0.5, 1e-3, -1e-3, -0.5}) {
    SCOPED_TRACE(above);
    const TwoBlocks two = blocks(above);
    const solver::Result result = solve(two, none);
    ASSERT_NO_FATAL_FAILURE(expect_lowest(two, result));
    EXPECT_EQ(result.search, SearchEnd::not_wanted);
    EXPECT_EQ(result.completeness, solver::Completeness::not_checked);
    EXPECT_EQ(result.search_products, 0);
    products.push_back(result.products);
  }
  EXPECT_LT(products[0], products[3]);  // a state far above is recognised at once
}

TEST_F(SectorsTest, TheModelBlockOfTheOtherSectorIsBuiltWhileADeviceWorks) {
  Options none = options();
  none.search = solver::SearchEffort::none;
  none.model_size = 40;
  const int block_fills = backend.is_host() ? 0 : 1;
  for (const double above : {0.5, -0.5}) {
    const TwoBlocks two = blocks(above);
    ASSERT_NO_FATAL_FAILURE(expect_lowest(two, solve(two, none)));
    EXPECT_EQ(two.elements(ParitySide::likely).fills, 0);
    EXPECT_EQ(two.elements(ParitySide::other).fills, block_fills);
  }
  const TwoBlocks two = blocks(0.5);
  ASSERT_NO_FATAL_FAILURE(expect_lowest(two, solve(two, options())));
  EXPECT_EQ(two.elements(ParitySide::other).fills,
            block_fills);  // the search needs the block of low rows alone
}

class Listener final : public solver::Observer {
 public:
  bool report(const solver::Progress&) override { return true; }
};

class StopsSoon final : public solver::Observer {
 public:
  bool report(const solver::Progress&) override { return ++reports < 3; }
  int reports = 0;
};

TEST_F(SectorsTest, BackgroundWorkStartsAtTheFirstReport) {
  StopsSoon listener;
  int begun = 0;
  solver::OnFirstReport observer([&] { begun += listener.reports == 0 ? 1 : 100; }, listener);
  const Dense a = diagonally_dominant(kRows, 3, 0.2);
  const DenseOperator matrix(a, backend);
  Options slow = options();
  slow.model_size = 0;
  EXPECT_EQ(begun, 0);
  EXPECT_FALSE(solver::solve({matrix, backend}, slow, &observer).converged());
  EXPECT_EQ(listener.reports, 3);
  EXPECT_EQ(begun, 1);
  solver::OnFirstReport nothing({}, listener);
  EXPECT_FALSE(solver::solve({matrix, backend}, slow, &nothing).converged());
}

TEST_F(SectorsTest, AnUndecidedSectorIsFollowedForALimitedNumberOfProducts) {
  constexpr Index kRowsOfState = 4;
  const base::MultiVector vectors(backend, kRowsOfState, 1);
  solver::Result result{.vectors = base::MultiVector(base::Backend::reference(), 0, 0)};
  result.layout = base::Layout::whole(kRowsOfState);
  result.states.push_back({.energy = -1});
  solver::FoundState kept(vectors, result, solver::kOneProcess);
  Listener listener;
  solver::StopWhenAbove above(-1, 7, 50, kept, listener);
  const auto goes_on = [&](Index products, double energy) {
    const std::vector energies = {energy};
    const std::vector residuals = {0.5};
    return above.report({1, 1, products, false, energies, residuals, 0, 0, 0, kept});
  };
  EXPECT_TRUE(goes_on(49, -0.8));
  EXPECT_FALSE(goes_on(50, -0.8));
  EXPECT_TRUE(above.is_spent());
  EXPECT_FALSE(above.is_above());
  EXPECT_TRUE(goes_on(60, -1.2));
  EXPECT_FALSE(above.is_spent());
  EXPECT_FALSE(goes_on(3, -0.4));
  EXPECT_TRUE(above.is_above());
}

/// Stops when the other sector is examined.
class StopsInOtherSector final : public solver::Observer {
 public:
  bool report(const solver::Progress& progress) override {
    energies = {progress.energies.begin(), progress.energies.end()};
    EXPECT_EQ(progress.comparing, progress.searching);
    EXPECT_GE(progress.seconds, seconds_);
    seconds_ = progress.seconds;
    return !progress.searching;
  }
  std::vector<double> energies;

 private:
  double seconds_ = 0;
};

TEST_F(SectorsTest, StoppingThereKeepsTheFoundState) {
  Options none = options();
  none.search = solver::SearchEffort::none;
  const TwoBlocks two = blocks(-0.5);
  StopsInOtherSector observer;
  const solver::Result result = solve(two, none, &observer);
  EXPECT_EQ(result.search, SearchEnd::stopped);
  EXPECT_NEAR(result.states[0].energy, two.lowest_of_likely(), 1e-12);
  EXPECT_EQ(observer.energies, std::vector{result.states[0].energy});
  EXPECT_LT(residual(two, result), 1e-7);
}

/// The operator of the other sector can be built, but solving it runs out of memory.
class WithoutMemoryToSolve final : public TwoBlocks {
 public:
  using TwoBlocks::TwoBlocks;
  std::unique_ptr<const solver::OperatorSector> make(ParitySide side) const override {
    if (side == ParitySide::likely) return TwoBlocks::make(side);
    return std::make_unique<SectorWithoutMemory>(TwoBlocks::make(side));
  }

 private:
  class SectorWithoutMemory final : public solver::OperatorSector, public base::LinearOperator {
   public:
    explicit SectorWithoutMemory(std::unique_ptr<const solver::OperatorSector> part)
        : part_(std::move(part)) {}
    const base::LinearOperator& matrix() const override { return *this; }
    const solver::ModelBlock& model_block() const override { return part_->model_block(); }
    double lowest() const override { return part_->lowest(); }
    void expand(base::ConstBlock part, base::Block whole) const override {
      part_->expand(part, whole);
    }
    void contract(const solver::Vectors& whole, const base::MultiVector& given,
                  const base::Layout& layout, int column, base::Block part) const override {
      part_->contract(whole, given, layout, column, part);
    }
    Index rows() const override { return part_->matrix().rows(); }
    void apply(base::ConstBlock, base::Block) const override {
      base::fail(base::ErrorKind::resources, "no memory for a product");
    }

   private:
    std::unique_ptr<const solver::OperatorSector> part_;
  };
};

TEST_F(SectorsTest, AStateIsKeptIfMemoryToFollowAnotherIsLacking) {
  Options none = options();
  none.search = solver::SearchEffort::none;
  const TwoBlocks two = blocks(0.5);
  const WithoutMemoryToSolve narrow(two.block(ParitySide::likely), two.block(ParitySide::other),
                                    backend);
  const solver::Result result = solve(narrow, none);
  EXPECT_TRUE(result.converged());
  EXPECT_NEAR(result.states[0].energy, two.lowest_of_likely(), 1e-12);
  EXPECT_EQ(result.search, SearchEnd::not_wanted);
}

}  // namespace
}  // namespace cisolve::test

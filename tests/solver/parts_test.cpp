#include "solver/parts/solve_by_parts.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "solver/parts/search_alone.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

// Matrices of two blocks, each of which is solved by itself.
namespace cisolve::test {
namespace {

using solver::Options;
using solver::SearchEnd;

/// Rows from `first` on.
class BlockOf final : public solver::Part {
 public:
  BlockOf(const Dense& a, Index first, Index rows, const base::Backend& backend)
      : matrix_(a, backend),
        elements_(matrix_.matrix()),
        first_(first),
        backend_(backend),
        part_(rows),
        whole_(rows) {}

  const base::LinearOperator& matrix() const override { return matrix_; }
  const solver::ModelBlock& model_block() const override { return elements_; }
  double lowest() const override { return matrix_.matrix().diagonal().minCoeff(); }
  void expand(base::ConstBlock part, base::Block whole) const override {
    const base::Backend host = backend_.host();
    base::MultiVector there(host, whole.rows, whole.columns);
    std::fill_n(there.block().data, there.block().stride * there.columns(), 0.0);
    const auto here = base::MultiVector::copy_of(backend_, part, host);
    for (int j = 0; j < part.columns; ++j)
      for (Index i = 0; i < part.rows; ++i) there(first_ + i, j) = here(i, j);
    for (int j = 0; j < whole.columns; ++j)
      base::copy_bytes(host, there.block().column(j), backend_, whole.column(j),
                       whole.rows * Index{sizeof(double)});
  }
  solver::Snapshot::Room room() const override {
    if (!backend_.is_host()) return {};
    return {part_.data(), whole_.data()};
  }

 private:
  DenseOperator matrix_;
  ElementsOf elements_;
  Index first_;
  base::Backend backend_;
  mutable std::vector<double> part_;
  mutable std::vector<double> whole_;
};

class TwoBlocks : public solver::Parts {
 public:
  TwoBlocks(Dense likely, Dense other, const base::Backend& backend)
      : likely_(std::move(likely)), other_(std::move(other)), backend_(backend) {}

  std::unique_ptr<const solver::Part> make(Side side) const override {
    return std::make_unique<BlockOf>(block(side), first_of(side), likely_.rows() + other_.rows(),
                                     backend_);
  }
  void expand(Side side, const double* part, double* whole) const override {
    std::fill_n(whole, likely_.rows() + other_.rows(), 0.0);
    std::copy_n(part, rows_of(side), whole + first_of(side));
  }
  void contract(Side side, const double* whole, double* part) const override {
    std::copy_n(whole + first_of(side), rows_of(side), part);
  }
  const Dense& block(Side side) const { return side == Side::likely ? likely_ : other_; }
  Dense whole() const { return block_diagonal(likely_, other_); }
  static double lowest(const Dense& block) {
    return Eigen::SelfAdjointEigenSolver<Dense>(block).eigenvalues()[0];
  }
  double lowest_of_likely() const { return lowest(likely_); }
  double lowest_of_other() const { return lowest(other_); }

 private:
  Index first_of(Side side) const { return side == Side::likely ? 0 : likely_.rows(); }
  Index rows_of(Side side) const { return side == Side::likely ? likely_.rows() : other_.rows(); }

  Dense likely_;
  Dense other_;
  base::Backend backend_;
};

class PartsTest : public BackendTest {
 protected:
  static constexpr int kRows = 300;

  /// Two blocks, of which the lowest state of the other one is shifted to so much above the first.
  TwoBlocks blocks(double above) const {
    const Dense likely = diagonally_dominant(kRows, 3, 0.2);
    Dense other = diagonally_dominant(kRows / 2, 4, 0.2);
    const double shift = TwoBlocks::lowest(likely) - TwoBlocks::lowest(other);
    other.diagonal().array() += shift + above;
    return {likely, other, backend};
  }
  static Options options() {
    Options options;
    options.dense_limit = 0;
    options.search = solver::SearchEffort::full;
    return options;
  }
  double residual(const TwoBlocks& blocks, const solver::Result& result) const {
    const Dense a = blocks.whole();
    const base::MultiVector x = result.vectors.to(backend.host());
    const Eigen::Map<const Eigen::VectorXd> v(x.block().column(0), a.rows());
    return (a * v - result.states[0].energy * v).norm() + std::abs(v.norm() - 1);
  }
  solver::Result solve(const TwoBlocks& blocks, const Options& options,
                       solver::Observer* observer = nullptr,
                       const solver::Checkpoint* start = nullptr) const {
    const DenseOperator matrix(blocks.whole(), backend);
    return solver::solve_by_parts(blocks, {matrix, backend}, options, observer, start);
  }

  base::Backend backend = backend_under_test();
};

TEST_F(PartsTest, WithoutASearchTheOtherPartIsFollowedUntilItIsClearlyAbove) {
  Options none = options();
  none.search = solver::SearchEffort::none;
  none.model_size = 0;  // Ritz values come down from far above
  std::vector<Index> products;
  for (const double above : {0.5, 1e-3, -1e-3, -0.5}) {
    SCOPED_TRACE(above);
    const TwoBlocks two = blocks(above);
    const solver::Result result = solve(two, none);
    ASSERT_TRUE(result.converged());
    const double lowest = std::min(two.lowest_of_likely(), two.lowest_of_other());
    EXPECT_NEAR(result.states[0].energy, lowest, 1e-12);
    EXPECT_LT(residual(two, result), 1e-7);
    EXPECT_EQ(result.search, SearchEnd::not_wanted);
    EXPECT_EQ(result.completeness, solver::Completeness::not_checked);
    EXPECT_EQ(result.search_products, 0);
    products.push_back(result.products);
  }
  EXPECT_LT(products[0], products[3]);  // where it is far above, that is clear at once
}

/// Stops when the other part is looked at.
class StopsBeside final : public solver::Observer {
 public:
  bool report(const solver::Progress& progress) override {
    told = {progress.energies.begin(), progress.energies.end()};
    return !progress.searching;
  }
  std::vector<double> told;
};

TEST_F(PartsTest, WhoStopsThereKeepsTheStateThatThereIs) {
  Options none = options();
  none.search = solver::SearchEffort::none;
  const TwoBlocks two = blocks(-0.5);
  StopsBeside observer;
  const solver::Result result = solve(two, none, &observer);
  EXPECT_EQ(result.search, SearchEnd::stopped);
  EXPECT_NEAR(result.states[0].energy, two.lowest_of_likely(), 1e-12);
  EXPECT_EQ(observer.told, std::vector{result.states[0].energy});
  EXPECT_LT(residual(two, result), 1e-7);
}

TEST_F(PartsTest, TheLowestStateIsThatOfEitherPart) {
  for (const double above : {0.5, 1e-3, -1e-3, -0.5}) {
    SCOPED_TRACE(above);
    const TwoBlocks two = blocks(above);
    const solver::Result result = solve(two, options());
    ASSERT_TRUE(result.converged());
    const double lowest = std::min(two.lowest_of_likely(), two.lowest_of_other());
    EXPECT_NEAR(result.states[0].energy, lowest, 1e-12);
    EXPECT_LT(residual(two, result), 1e-7);
    EXPECT_EQ(result.search, SearchEnd::excluded);
    EXPECT_EQ(result.completeness, solver::Completeness::searched);
    EXPECT_LT(result.search_doubt, 3e-6);
    EXPECT_EQ(result.layout.rows(), two.whole().rows());
    EXPECT_GT(result.search_products, 0);
    EXPECT_LT(result.search_products, result.products);
    ASSERT_FALSE(result.history.empty());
    EXPECT_EQ(result.history.back().products, result.products);
    ASSERT_TRUE(result.next);
    EXPECT_GT(*result.next, result.states[0].energy);
  }
}

TEST_F(PartsTest, AStateOfTheOtherPartIsTheNextOneWhereItWasMet) {
  const TwoBlocks two = blocks(-1e-3);
  const solver::Result result = solve(two, options());
  ASSERT_TRUE(result.next);
  EXPECT_LE(*result.next, two.lowest_of_likely() + 1e-10);
}

/// Both have a state of one energy, and no more.
TEST_F(PartsTest, WhatSharesTheEnergyIsCounted) {
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

/// Its other part has no memory.
class WithoutRoom final : public TwoBlocks {
 public:
  using TwoBlocks::TwoBlocks;
  std::unique_ptr<const solver::Part> make(Side side) const override {
    if (side == Side::other) base::fail(base::Fault::resources, "no memory for a part");
    return TwoBlocks::make(side);
  }
};

TEST_F(PartsTest, AStateIsNotLostForWantOfMemoryToLookForMore) {
  const TwoBlocks two = blocks(0.5);
  const WithoutRoom narrow(two.block(WithoutRoom::Side::likely),
                           two.block(WithoutRoom::Side::other), backend);
  const solver::Result result = solve(narrow, options());
  EXPECT_TRUE(result.converged());
  EXPECT_NEAR(result.states[0].energy, two.lowest_of_likely(), 1e-12);
  EXPECT_EQ(result.search, SearchEnd::no_memory);
  EXPECT_EQ(result.completeness, solver::Completeness::not_checked);
}

TEST_F(PartsTest, WhatIsNotFinishedIsNotSearched) {
  Options few = options();
  few.max_iterations = 2;
  const solver::Result result = solve(blocks(-0.5), few);
  EXPECT_FALSE(result.converged());
  EXPECT_EQ(result.search, SearchEnd::unfinished);
  EXPECT_EQ(result.completeness, solver::Completeness::not_checked);
}

/// As small as arithmetic allows, above the tolerance: then both parts are searched as well.
TEST_F(PartsTest, WhatRoundingLimitsIsSearchedInBothParts) {
  Options exact = options();
  exact.tolerance = 1e-30;
  const TwoBlocks two = blocks(-0.5);
  const solver::Result result = solve(two, exact);
  EXPECT_EQ(result.states[0].status, solver::Status::limited);
  EXPECT_NEAR(result.states[0].energy, two.lowest_of_other(), 1e-12);
}

/// A state that is far above the shift, seen only in part.
TEST_F(PartsTest, ASearchThatIsCutShortSaysNoMoreThanItSaw) {
  const TwoBlocks two = blocks(0.5);
  const DenseOperator matrix(two.block(TwoBlocks::Side::other), backend);
  const double shift = two.lowest_of_likely();
  const solver::SearchAlone found = solver::search_alone({matrix, backend}, options(), shift,
                                                         shift + 0.5, 6, [] { return true; });
  ASSERT_TRUE(found.has_room);
  EXPECT_EQ(found.search.steps, 6);
  EXPECT_EQ(found.search.verdict, solver::Verdict::undecided);
  EXPECT_FALSE(found.is_close);
}

/// Takes all memory of the host while it hears of a checkpoint.
class HearsWithoutMemory final : public solver::Observer {
 public:
  explicit HearsWithoutMemory(const base::Backend& backend) : backend_(backend) {}
  bool report(const solver::Progress& progress) override {
    const base::Reservation all(backend_.host_memory(), backend_.host_memory().left(), "all");
    Index numbers = 0;
    progress.state.snapshot().tell_first(
        [&](std::span<const double> some) { numbers += std::ssize(some); });
    EXPECT_GT(numbers, 0);
    ++told;
    return true;
  }
  int told = 0;

 private:
  base::Backend backend_;
};

TEST_F(PartsTest, ACheckpointNeedsNoMemoryOfTheHostBesideTheSolvers) {
  if (!backend.is_host()) GTEST_SKIP() << "a device's checkpoints stand on the host";
  HearsWithoutMemory observer(backend);
  EXPECT_TRUE(solve(blocks(-1e-3), options(), &observer).converged());
  EXPECT_GT(observer.told, 10);
}

/// Stops when so many products were taken, and keeps what it could go on from.
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

TEST_F(PartsTest, StoppedAtAnyMomentItGoesOnToTheSameState) {
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

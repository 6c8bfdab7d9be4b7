#pragma once

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "solver/sectors/solve_by_sectors.hpp"
#include "solver/task/snapshot.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

// Matrices of two blocks, each solved separately.
namespace cisolve::test {

using solver::Options;
using solver::ParitySide;
using solver::SearchEnd;

/// Rows from `first` on.
class BlockOf final : public solver::OperatorSector {
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
  void contract(const solver::Vectors& whole, const base::MultiVector& given,
                const base::Layout& layout, int column, base::Block part) const override {
    base::MultiVector rows = whole.make(1, "a vector of the whole");
    whole.from(given, layout, rows, column);
    base::copy_bytes(backend_, rows.block().data + first_, backend_, part.data,
                     part.rows * Index{sizeof(double)});
  }
  solver::Snapshot::HostWorkspace host_workspace() const override {
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

/// Both blocks; a product overwrites its sources.
class BothBlocks final : public solver::SectorPair {
 public:
  BothBlocks(const Dense& likely, const Dense& other, const base::Backend& backend)
      : likely_(likely, 0, likely.rows() + other.rows(), backend),
        other_(other, likely.rows(), likely.rows() + other.rows(), backend),
        backend_(backend),
        of_likely_(backend, likely.rows(), 2),
        of_other_(backend, other.rows(), 2) {}

  const solver::OperatorSector& part(ParitySide side) const override {
    return side == ParitySide::likely ? likely_ : other_;
  }
  base::Block source(ParitySide side) const override { return of(side).block(0, 1); }
  base::Block image(ParitySide side) const override { return of(side).block(1, 1); }
  void multiply(ParitySide side, double shift) const override {
    ++singles;
    apply(side, shift);
  }
  void multiply_both(double shift) const override {
    ++doubles;
    apply(ParitySide::likely, shift);
    apply(ParitySide::other, shift);
  }
  mutable Index singles = 0;
  mutable Index doubles = 0;

 private:
  base::MultiVector& of(ParitySide side) const {
    return side == ParitySide::likely ? of_likely_ : of_other_;
  }
  void apply(ParitySide side, double shift) const {
    part(side).matrix().apply(source(side), image(side));
    base::block_kernels(backend_).axpy(backend_, std::vector{-shift}, source(side), image(side));
    base::block_kernels(backend_).fill(backend_, std::nan(""), source(side));
  }

  BlockOf likely_;
  BlockOf other_;
  base::Backend backend_;
  mutable base::MultiVector of_likely_;
  mutable base::MultiVector of_other_;
};

/// Knows its lowest rows, and counts its calls.
class KnownElements final : public solver::ModelBlock {
 public:
  explicit KnownElements(const Dense& a) : a_(a), elements_(a) {}
  void fill(std::span<const Index> rows, std::span<const Index> columns,
            base::SmallMatrix& block) const override {
    ++fills;
    elements_.fill(rows, columns, block);
  }
  std::vector<Index> lowest(Index count) const override {
    std::vector<Index> rows(a_.rows());
    std::iota(rows.begin(), rows.end(), Index{0});
    std::ranges::sort(rows, {}, [&](Index row) { return a_(row, row); });
    rows.resize(std::min(count, Index{a_.rows()}));
    std::ranges::sort(rows);
    return rows;
  }
  mutable std::atomic<int> fills = 0;

 private:
  const Dense& a_;
  ElementsOf elements_;
};

class TwoBlocks : public solver::Sectors {
 public:
  TwoBlocks(Dense likely, Dense other, const base::Backend& backend, bool at_once = true)
      : likely_(std::move(likely)),
        other_(std::move(other)),
        backend_(backend),
        at_once_(at_once) {}

  std::unique_ptr<const solver::OperatorSector> make(ParitySide side) const override {
    return std::make_unique<BlockOf>(block(side), first_of(side), likely_.rows() + other_.rows(),
                                     backend_);
  }
  std::unique_ptr<const solver::SectorPair> make_both() const override {
    if (!at_once_ && ++times_ % 2 == 1)
      base::fail(base::ErrorKind::resources, "no memory for both");
    return std::make_unique<BothBlocks>(likely_, other_, backend_);
  }
  const KnownElements& elements(ParitySide side) const override {
    return side == ParitySide::likely ? likely_elements_ : other_elements_;
  }
  void expand(ParitySide side, const double* part, double* whole) const override {
    std::fill_n(whole, likely_.rows() + other_.rows(), 0.0);
    std::copy_n(part, rows_of(side), whole + first_of(side));
  }
  const Dense& block(ParitySide side) const {
    return side == ParitySide::likely ? likely_ : other_;
  }
  Dense whole() const { return block_diagonal(likely_, other_); }
  static double lowest(const Dense& block) {
    return Eigen::SelfAdjointEigenSolver<Dense>(block).eigenvalues()[0];
  }
  double lowest_of_likely() const { return lowest(likely_); }
  double lowest_of_other() const { return lowest(other_); }

 private:
  Index first_of(ParitySide side) const { return side == ParitySide::likely ? 0 : likely_.rows(); }
  Index rows_of(ParitySide side) const {
    return side == ParitySide::likely ? likely_.rows() : other_.rows();
  }

  Dense likely_;
  Dense other_;
  KnownElements likely_elements_{likely_};
  KnownElements other_elements_{other_};
  base::Backend backend_;
  bool at_once_;  // false: memory for both lacks at the first attempt
  mutable int times_ = 0;
};

class SectorsTest : public BackendTest {
 protected:
  static constexpr int kRows = 300;

  /// Two blocks; the lowest state of the other one is shifted to `above` over that of the first.
  TwoBlocks blocks(double above, bool at_once = true) const {
    const Dense likely = diagonally_dominant(kRows, 3, 0.2);
    Dense other = diagonally_dominant(kRows / 2, 4, 0.2);
    const double shift = TwoBlocks::lowest(likely) - TwoBlocks::lowest(other);
    other.diagonal().array() += shift + above;
    return {likely, other, backend, at_once};
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
  void expect_lowest(const TwoBlocks& two, const solver::Result& result) const {
    ASSERT_TRUE(result.converged());
    const double lowest = std::min(two.lowest_of_likely(), two.lowest_of_other());
    EXPECT_NEAR(result.states[0].energy, lowest, 1e-12);
    EXPECT_LT(residual(two, result), 1e-7);
  }
  solver::Result solve(const TwoBlocks& blocks, const Options& options,
                       solver::Observer* observer = nullptr,
                       const solver::Checkpoint* start = nullptr) const {
    const DenseOperator matrix(blocks.whole(), backend);
    return solver::solve_by_sectors(blocks, {matrix, backend}, options, observer, start);
  }

  base::Backend backend = backend_under_test();
};

}  // namespace cisolve::test

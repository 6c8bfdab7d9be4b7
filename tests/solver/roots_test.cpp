#include "solver/basis/roots.hpp"

#include "solver/methods/solve.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

// Classification of Ritz values as states and as partners of the highest.
namespace cisolve::test {
namespace {

constexpr double kWidth = 1e-7;  // degeneracy width at the tolerance of 1e-8

/// The basis is the lowest seven eigenvectors of a diagonal matrix; states 2 to 4 are degenerate
/// within fractions of the width.
class RootsTest : public BackendTest {
 protected:
  static constexpr int kRows = 12;
  static Dense matrix_with_partners() {
    Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(kRows, 0, 11);
    values[2] = values[1] + 0.3 * kWidth;
    values[3] = values[1] + 0.7 * kWidth;
    return values.asDiagonal();
  }

  base::Backend backend = backend_under_test();
  DenseOperator a{matrix_with_partners(), backend};
  solver::Problem problem{a, backend};
  solver::MeteredOperator matrix{problem};
  solver::Vectors vectors{backend, solver::kOneProcess, base::Layout::whole(kRows), kRows};
  solver::Options options = davidson_options(2);
  solver::SolverSetup setup{problem, options, matrix, vectors};
  solver::Sizes sizes{.states = 2, .guards = 0, .width = 2, .capacity = 11, .kept = 5};
  solver::Task task{matrix, vectors, setup, options, sizes, nullptr};
  solver::RitzBasis basis{matrix, vectors, {.capacity = sizes.capacity}};

  void SetUp() override {
    BackendTest::SetUp();
    if (IsSkipped()) return;
    vectors.fill_units(std::vector<Index>{0, 1, 2, 3, 4, 5, 6}, basis.space().free_basis(7));
    ASSERT_EQ(basis.space().append(7), 7);
    basis.update();
  }
};

TEST_F(RootsTest, NarrowHalvesTheWidthOnce) {
  solver::Roots roots(task, basis);
  EXPECT_DOUBLE_EQ(roots.width(), kWidth);
  EXPECT_EQ(roots.seen_beyond(), 2);
  EXPECT_TRUE(roots.halve_width());
  EXPECT_DOUBLE_EQ(roots.width(), kWidth / 2);
  EXPECT_EQ(roots.seen_beyond(), 1);
  EXPECT_FALSE(roots.halve_width());
  EXPECT_DOUBLE_EQ(roots.width(), kWidth / 2);
}

TEST_F(RootsTest, PartnersAreRootsAsLongAsColumnsLast) {
  solver::Roots roots(task, basis);
  EXPECT_EQ(roots.count(), 2);
  EXPECT_TRUE(roots.recount_beyond());  // not finished yet
  EXPECT_EQ(roots.count(), 4);
  roots.find_all_residuals();
  EXPECT_TRUE(roots.all_finished());
  EXPECT_FALSE(roots.recount_beyond());
  sizes.kept = 2;
  roots.recount_beyond();
  EXPECT_EQ(roots.beyond(), 2);  // more columns are free than a restart keeps
  sizes.kept = 3;
  sizes.capacity = 2 + 3 * sizes.width;
  roots.recount_beyond();
  EXPECT_EQ(roots.beyond(), 1);
  EXPECT_EQ(roots.seen_beyond(), 2);
}

TEST_F(RootsTest, ResidualsOfABasisAreFoundOnce) {
  const CountedSums sums;
  solver::Vectors counted(backend, sums, base::Layout::whole(kRows), kRows);
  solver::RitzBasis mine(matrix, counted, {.capacity = sizes.capacity});
  Eigen::MatrixXd between = Eigen::MatrixXd::Zero(kRows, 2);
  between(0, 0) = between(4, 1) = 0.8;
  between(11, 0) = between(10, 1) = 0.6;
  const auto extend = [&](int column) {
    counted.copy(on_backend(between.col(column), backend).block(), mine.space().free_basis(1));
    ASSERT_EQ(mine.space().append(1), 1);
    mine.update();
  };
  sizes.states = 1;
  solver::Roots roots(task, mine);
  extend(0);
  const auto sums_of = [&](auto work) {
    const int before = sums.count;
    work();
    return sums.count - before;
  };
  EXPECT_EQ(sums_of([&] { roots.find_all_residuals(); }), 1);
  EXPECT_EQ(sums_of([&] { roots.find_all_residuals(); }), 0);
  EXPECT_EQ(sums_of([&] { roots.find_residuals({0}); }), 1);  // residuals are needed as vectors
  EXPECT_EQ(sums_of([&] { roots.find_all_residuals(); }), 0);
  EXPECT_NEAR(roots.residuals()[0], 0.48 * 11, 1e-12);
  extend(1);
  EXPECT_EQ(sums_of([&] { roots.find_all_residuals(); }), 1);
  mine.space().collapse(mine.first_coefficients(1));
  mine.update();
  EXPECT_EQ(sums_of([&] { roots.find_all_residuals(); }), 1);
}

/// A diagonal matrix that hides its diagonal; cheap products of many rows.
class HiddenDiagonal final : public base::LinearOperator {
 public:
  HiddenDiagonal(Eigen::VectorXd values, base::Backend backend)
      : values_(std::move(values)), backend_(std::move(backend)) {}
  Index rows() const override { return values_.size(); }
  void apply(base::ConstBlock x, base::Block y) const override {
    auto copy = base::MultiVector::copy_of(backend_, x, backend_.host());
    for (int j = 0; j < x.columns; ++j) {
      Eigen::VectorXd::Map(copy.block().column(j), rows()).array() *= values_.array();
      base::copy_bytes(backend_.host(), copy.block().column(j), backend_, y.column(j),
                       rows() * Index{sizeof(double)});
    }
  }

 private:
  Eigen::VectorXd values_;
  base::Backend backend_;
};

// Excluding a state 1e-5 widths above the shift takes more than the allowed thousand steps, since
// others follow closely; with half the width it succeeds.
TEST_F(RootsTest, ASearchBlockedByANeighbourIsRepeatedLowerOnce) {
  constexpr int rows = 1000;
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(rows, -2.0 / (rows - 3), 1).array().square();
  values = 0.005 + 9.995 * values.array();
  values[0] = 0;
  values[1] = (1 + 1e-5) * kWidth;
  const HiddenDiagonal hidden(values, backend);
  const solver::Checkpoint start{on_backend(Eigen::VectorXd::Unit(rows, 0), backend),
                                 base::Layout::whole(rows)};
  solver::Options full = davidson_options(1);
  full.search = solver::SearchEffort::full;
  const auto result = solver::solve({hidden, backend}, full, nullptr, &start);
  EXPECT_GT(result.search_products, 1000);
  EXPECT_EQ(result.search, solver::SearchEnd::excluded);
  EXPECT_EQ(result.completeness, solver::Completeness::searched);
  EXPECT_TRUE(result.beyond.counted);
  EXPECT_EQ(result.beyond.states, 0);
  EXPECT_DOUBLE_EQ(result.beyond.width, kWidth / 2);
}

}  // namespace
}  // namespace cisolve::test

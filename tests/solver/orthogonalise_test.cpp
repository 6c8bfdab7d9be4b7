#include "solver/vectors/orthogonalise.hpp"

#include <cmath>

#include "base/error.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

namespace cisolve::test {
namespace {

class Orthogonalise : public BackendTest {
 protected:
  static constexpr Index kRows = 203;
  base::Backend backend = backend_under_test();
  solver::Vectors vectors{backend, solver::kOneProcess, base::Layout::whole(kRows), 8};

  base::MultiVector to_backend(const Dense& a) {
    base::MultiVector v(backend.host(), a.rows(), static_cast<int>(a.cols()));
    for (int j = 0; j < a.cols(); ++j)
      for (Index i = 0; i < a.rows(); ++i) v(i, j) = a(i, j);
    return v.to(backend);
  }
  Dense to_dense(base::ConstBlock block) {
    const auto host = base::MultiVector::copy_of(backend, block, backend.host());
    Dense a(host.rows(), host.columns());
    for (int j = 0; j < a.cols(); ++j)
      for (Index i = 0; i < a.rows(); ++i) a(i, j) = host(i, j);
    return a;
  }
  static Dense some_columns(int count, std::uint64_t seed) {
    return random_symmetric(kRows, seed).leftCols(count);
  }
  /// Q is orthonormal, orthogonal to V, and W lies in both.
  void expect_factorised(const Dense& v, const Dense& w, int kept, double relative = 1e-13) {
    const base::MultiVector basis = to_backend(v);
    base::MultiVector block = to_backend(w);
    ASSERT_EQ(solver::orthogonalise(vectors, basis.block(), block.block()), kept);
    const Dense q = to_dense(block.block(0, kept));
    EXPECT_LT((q.transpose() * q - Dense::Identity(kept, kept)).norm(), 2e-14);
    EXPECT_LT((v.transpose() * q).norm(), 2e-14);
    for (int j = 0; j < w.cols(); ++j) {
      const double size = w.col(j).stableNorm();
      if (size == 0) continue;
      Eigen::VectorXd rest = w.col(j) / size;
      rest -= v * (v.transpose() * rest);
      rest -= q * (q.transpose() * rest);
      EXPECT_LE(rest.norm(), relative) << "column " << j;
    }
  }
};

TEST_F(Orthogonalise, FactorisesIndependentVectors) {
  expect_factorised(Dense(kRows, 0), some_columns(5, 1), 5);
  expect_factorised(random_orthogonal(kRows, 2).leftCols(7), some_columns(4, 3), 4);
  expect_factorised(random_orthogonal(kRows, 2).leftCols(7), some_columns(1, 4), 1);
}

TEST_F(Orthogonalise, KeepsDigitsOfVectorsAlmostInTheBasis) {
  const Dense v = random_orthogonal(kRows, 5).leftCols(6);
  for (const double outside : {1e-4, 1e-7, 1e-9}) {
    Dense w = v * some_columns(3, 6).topRows(6);
    w += outside * some_columns(3, 7);
    expect_factorised(v, w, 3);
  }
}

TEST_F(Orthogonalise, RevealsTheRankOfDependentVectors) {
  const Dense v = random_orthogonal(kRows, 8).leftCols(2);
  Dense w = some_columns(5, 9);
  w.col(2) = w.col(0) - 3 * w.col(1);
  w.col(4) = 2 * w.col(3);
  expect_factorised(v, w, 3, 1e-6);
}

/// Tested by their remainder, not by a difference of squares.
TEST_F(Orthogonalise, RevealsTheRankOfVectorsMostlyInTheBasis) {
  const Dense all = random_orthogonal(kRows, 20);
  const Dense v = all.leftCols(6);
  for (const double outside : {0.3, 0.02, 1e-3}) {
    Dense w = v * some_columns(4, 21).topRows(6);
    for (int j = 0; j < 4; ++j) w.col(j) += outside * (1 + j) * all.col(7 + j % 2);
    expect_factorised(v, w, 2, 1e-9);
  }
}

TEST_F(Orthogonalise, SeparatesNearlyDependentVectors) {
  Dense w = some_columns(3, 10);
  w.col(1) = w.col(0) + 1e-5 * w.col(1);
  expect_factorised(Dense(kRows, 0), w, 3);
}

TEST_F(Orthogonalise, DropsVectorsOfTheBasisAndZeros) {
  const Dense v = random_orthogonal(kRows, 11).leftCols(3);
  Dense w = some_columns(4, 12);
  w.col(0) = v.col(1);
  w.col(2).setZero();
  expect_factorised(v, w, 2);
  expect_factorised(v, Dense(v * 5.0), 0);
  expect_factorised(Dense(kRows, 0), Dense::Zero(kRows, 2), 0);
}

TEST_F(Orthogonalise, ScalesTinyAndHugeVectors) {
  Dense w = some_columns(4, 13);
  w.col(0) *= 1e-220;
  w.col(1) *= 1e220;
  w.col(2) *= 1e-12;
  expect_factorised(random_orthogonal(kRows, 14).leftCols(3), w, 4);
}

TEST_F(Orthogonalise, RefusesVectorsThatAreNotNumbers) {
  Dense w = some_columns(2, 15);
  w(100, 1) = std::nan("");
  base::MultiVector block = to_backend(w);
  EXPECT_THROW(solver::orthogonalise(vectors, block.block(0, 0), block.block()), base::Error);
}

// Each pass sums the overlaps with the basis and the Gram matrix, from which that of the remainder
// follows.
TEST_F(Orthogonalise, OrthogonalisesOnceIfLittleIsRemoved) {
  const CountedSums sums;
  solver::Vectors counted(backend, sums, base::Layout::whole(kRows), 8);
  const Dense all = random_orthogonal(kRows, 18);
  const base::MultiVector basis = to_backend(all.leftCols(7));
  for (const double inside : {0.0, 0.8, 1.2}) {
    const Dense w = all.middleCols(7, 1) + inside * all.middleCols(2, 1);
    base::MultiVector block = to_backend(w);
    const int before = sums.count;
    solver::orthogonalise(counted, basis.block(), block.block());
    EXPECT_EQ(sums.count - before, inside < 1 ? 1 : 2) << inside;
    expect_factorised(all.leftCols(7), w, 1);
  }
}

// One vector that follows its basis in memory, as a new direction does, and one elsewhere.
TEST_F(Orthogonalise, ProjectsAVectorOutOfTheBasisAndReturnsBothNorms) {
  const Dense all = random_orthogonal(kRows, 19);
  for (const double size : {1.0, 1e-220, 1e220})
    for (const double inside : {0.0, 0.5, 3.0})
      for (const bool is_behind : {true, false}) {
        SCOPED_TRACE(testing::Message() << size << ", " << inside << ", " << is_behind);
        Dense both(kRows, 8);
        both << all.leftCols(7), size * (all.col(7) + inside * all.col(2));
        base::MultiVector on_backend = to_backend(both);
        base::MultiVector apart = to_backend(both.rightCols(1));
        const base::Block w = is_behind ? on_backend.block(7, 1) : apart.block();
        const auto taken = solver::project_out(vectors, on_backend.block(0, 7), w);
        const double before = std::sqrt(1 + inside * inside);
        EXPECT_NEAR(taken.before / size, before, 1e-14 * before);
        EXPECT_EQ(taken.after.has_value(), size == 1 && inside < 1);
        if (taken.after) {
          EXPECT_NEAR(*taken.after, 1, 4e-15);
        }
        EXPECT_NEAR(taken.overlap(2, 0) / size, inside, 1e-14);
        EXPECT_LT((to_dense(w) / size - all.col(7)).norm(), 1e-14);
      }
}

TEST_F(Orthogonalise, AWholeSpaceLeavesNothing) {
  const Dense v = random_orthogonal(static_cast<int>(kRows), 16);
  solver::Vectors many(backend, solver::kOneProcess, base::Layout::whole(kRows),
                       static_cast<int>(kRows));
  const base::MultiVector basis = to_backend(v);
  base::MultiVector block = to_backend(some_columns(2, 17));
  EXPECT_EQ(solver::orthogonalise(many, basis.block(), block.block()), 0);
}

}  // namespace
}  // namespace cisolve::test

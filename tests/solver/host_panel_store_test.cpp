#include "solver/vectors/host_panel_store.hpp"

#include <cmath>

#include "base/error.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

namespace cisolve::test {
namespace {

using solver::SmallMatrix;

/// Compares with the same vectors on the host, with the rows of two panels and a part of one.
class HostPanelStore : public BackendTest {
 protected:
  static constexpr int kExact = 2;
  static constexpr int kSingle = 4;
  base::Backend backend = backend_under_test();
  const bool on_host = backend.is_host();
  const Index panel = solver::HostPanelStore::panel_rows(on_host, Index{1} << 40);
  const Index rows = 2 * panel + panel / 3 + 5;
  solver::HostPanelStore store{
      backend, {.rows = rows, .exact = kExact, .single = kSingle}, "a test"};
  Dense known{rows, 0};

  Dense random(int columns, unsigned seed) const {
    std::srand(seed);
    return Dense::Random(rows, columns);
  }
  void know(const Dense& vectors) {
    known.conservativeResize(Eigen::NoChange, known.cols() + vectors.cols());
    known.rightCols(vectors.cols()) = vectors;
  }
  static std::vector<double> norms_of(const Dense& vectors) {
    std::vector<double> norms(vectors.cols());
    for (int j = 0; j < vectors.cols(); ++j) norms[j] = vectors.col(j).stableNorm();
    return norms;
  }
  void put(const Dense& vectors) {
    store.put(on_backend(vectors, backend).block(), norms_of(vectors));
    know(vectors);
  }
  /// Stored values of one vector.
  Dense kept(int column) const {
    SmallMatrix unit(store.size(), 1);
    unit(column, 0) = 1;
    base::MultiVector y(backend, rows, 1);
    store.update(1, unit, 0, 0, y.block());
    const base::MultiVector home = y.to(base::Backend::reference());
    return Eigen::Map<const Dense>(home.block().data, rows, 1);
  }
  void expect_kept(int column, bool exact) const {
    const Dense difference = kept(column) - known.col(column);
    const double allowed = exact ? 0 : 0x1p-23 * known.col(column).cwiseAbs().maxCoeff();
    EXPECT_LE(difference.cwiseAbs().maxCoeff(), allowed) << column;
    if (!exact) {
      EXPECT_GT(difference.norm(), 0) << column;
    }
  }
};

TEST_F(HostPanelStore, KeepsTheFirstInDoubleAndTheOthersInSinglePrecision) {
  EXPECT_EQ(store.exact_of_next(1), 1);
  put(random(1, 1));
  EXPECT_EQ(store.exact_of_next(3), 1);
  put(random(3, 2));
  put(1e200 * random(1, 3));  // out of range of single precision
  EXPECT_EQ(store.size(), 5);
  for (int j = 0; j < 5; ++j) expect_kept(j, j < kExact);
}

TEST_F(HostPanelStore, RefusesMoreVectorsThanItsCapacity) {
  put(random(kExact + kSingle, 1));
  EXPECT_THROW(put(random(1, 2)), base::Error);
}

TEST_F(HostPanelStore, GivesInnerProductsAndCombinationsOfAnyRows) {
  put(random(5, 1));
  for (int j = 0; j < 5; ++j) known.col(j) = kept(j);
  const Dense y = random(2, 7);
  SmallMatrix g(5, 2);
  const base::MultiVector block = on_backend(y, backend);
  store.gram({{{block.block(), &g}}});
  const Dense expected = known.transpose() * y;
  for (int b = 0; b < 2; ++b)
    for (int a = 0; a < 5; ++a)
      EXPECT_NEAR(g(a, b), expected(a, b), 1e-13 * static_cast<double>(rows));
  const Dense c = Dense::Random(5, 2);
  for (const auto& [first, count] : {std::pair<Index, Index>{0, rows},
                                     {panel - 3, 5},
                                     {panel + 1, panel - 2},
                                     {17, 2 * panel}}) {
    base::MultiVector sum = on_backend(y.middleRows(first, count), backend);
    store.update(-1.5, as_small(c), 0.5, first, sum.block());
    const base::MultiVector found = sum.to(base::Backend::reference());
    const Dense right =
        -1.5 * known.middleRows(first, count) * c + 0.5 * y.middleRows(first, count);
    const Dense error = Eigen::Map<const Dense>(found.block().data, count, 1) - right.col(0);
    EXPECT_LT(error.cwiseAbs().maxCoeff(), 1e-14) << first;
    for (Index i = 0; i < count; ++i) ASSERT_NEAR(found(i, 1), right(i, 1), 1e-14);
  }
}

TEST_F(HostPanelStore, RotatesInPlaceAndReturnsTheNorms) {
  put(random(6, 1));
  for (int j = 0; j < 6; ++j) known.col(j) = kept(j);
  const Dense c = Dense::Random(6, 4);
  known = (known * c).eval();
  base::MultiVector workspace(backend, panel / 2 + 1, 6);
  const std::vector<double> squares =
      store.rotate(as_small(c), norms_of(known), kExact, workspace.block());
  ASSERT_EQ(store.size(), 4);
  for (int j = 0; j < 4; ++j) {
    EXPECT_NEAR(std::sqrt(squares[j]) / known.col(j).norm(), 1, 1e-6);
    const double allowed = j < kExact ? 1e-14 : 4e-7;
    EXPECT_LT((kept(j) - known.col(j)).cwiseAbs().maxCoeff(), allowed) << j;
  }
  put(random(2, 5));  // fills freed slots
  expect_kept(4, false);
  expect_kept(5, false);
}

TEST_F(HostPanelStore, ReplacesVectorsInDoublePrecision) {
  put(random(4, 1));
  const Dense other = random(1, 9);
  store.replace(1, on_backend(other, backend).block());
  known.col(1) = other.col(0);
  for (int j = 0; j < 4; ++j) expect_kept(j, j < kExact);
}

}  // namespace
}  // namespace cisolve::test

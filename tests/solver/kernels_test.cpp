#include "solver/vectors/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/multivector.hpp"
#include "solver/vectors/vectors.hpp"
#include "tests/solver/matrices.hpp"
#include "tests/support/backend.hpp"

namespace cisolve::test {
namespace {

using solver::Extrema;
using solver::SmallMatrix;

class SolverKernels : public BackendTest {
 protected:
  base::Backend backend = backend_under_test();
  const solver::Kernels& kernels = solver::kernels(backend);

  base::MultiVector random_vectors(Index rows, int columns, std::uint64_t seed) {
    base::MultiVector v(backend, rows, columns);
    base::block_kernels(backend).randomise(backend, seed, v.block());
    return v;
  }
  base::MultiVector from(const std::vector<double>& values) {
    base::MultiVector v(backend.host(), std::ssize(values), 1);
    std::ranges::copy(values, v.block().data);
    return v.to(backend);
  }
};

TEST_F(SolverKernels, DivideByShiftedDividesByTheGuardedDenominator) {
  const Index rows = 1031;
  const base::MultiVector d = random_vectors(rows, 1, 1);
  base::MultiVector t = random_vectors(rows, 3, 2);
  const base::MultiVector before = t.to(backend.host());
  const base::MultiVector d_host = d.to(backend.host());
  const std::vector<double> shifts{0.0, 0.5, d_host(17, 0)};
  base::MultiVector separate_output = random_vectors(rows, 3, 3);
  kernels.divide_by_shifted(backend, d.block(), shifts, 0.01, t.block(), separate_output.block());
  kernels.divide_by_shifted(backend, d.block(), shifts, 0.01, t.block(), t.block());
  const base::MultiVector after = t.to(backend.host());
  const base::MultiVector copied = separate_output.to(backend.host());
  int guarded = 0;
  for (int j = 0; j < 3; ++j)
    for (Index i = 0; i < rows; ++i) {
      double denominator = d_host(i, 0) - shifts[j];
      if (std::abs(denominator) < 0.01) {
        denominator = denominator < 0 ? -0.01 : 0.01;
        ++guarded;
      }
      ASSERT_DOUBLE_EQ(after(i, j), before(i, j) / denominator) << i << ", " << j;
      ASSERT_EQ(copied(i, j), after(i, j)) << i << ", " << j;
    }
  EXPECT_GT(guarded, 3);
}

TEST_F(SolverKernels, RootsOfDistancesHaveAFloor) {
  const base::MultiVector d = from({-3, 1, 1.5, 2, 11});
  base::MultiVector y(backend, 5, 1);
  kernels.sqrt_of_distances(backend, d.block(), 2, 0.75, y.block());
  const base::MultiVector roots = y.to(backend.host());
  const double expected[] = {5, 1, 0.75, 0.75, 9};
  for (int i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(roots(i, 0), std::sqrt(expected[i]));
}

TEST_F(SolverKernels, ScatterThenGatherGivesTheValuesBack) {
  base::MultiVector y(backend, 777, 2);
  base::block_kernels(backend).fill(backend, 9, y.block());
  const std::vector<Index> rows{0, 5, 6, 400, 776};
  SmallMatrix values(5, 2);
  for (int r = 0; r < 5; ++r) {
    values(r, 0) = r;
    values(r, 1) = -10 * r;
  }
  kernels.scatter(backend, values, rows, y.block());
  SmallMatrix back(5, 2);
  kernels.gather(backend, y.block(), rows, back);
  EXPECT_TRUE(std::ranges::equal(back.values(), values.values()));
  const base::MultiVector host = y.to(backend.host());
  EXPECT_EQ(host(1, 0), 9);
  EXPECT_EQ(host(400, 1), -30);
}

TEST_F(SolverKernels, ScatterHandlesMoreRowsThanOneLaunch) {
  const base::MultiVector x = random_vectors(1031, 3, 5);
  std::vector<Index> rows;
  for (Index i = 2; i < 1031; i += 3) rows.push_back(i);
  SmallMatrix values(static_cast<int>(rows.size()), 3);
  kernels.gather(backend, x.block(), rows, values);
  base::MultiVector y(backend, 1031, 3);
  base::block_kernels(backend).fill(backend, 9, y.block());
  kernels.scatter(backend, values, rows, y.block());
  const base::MultiVector from = x.to(backend.host());
  const base::MultiVector to = y.to(backend.host());
  for (int j = 0; j < 3; ++j)
    for (Index i = 0; i < 1031; ++i) ASSERT_EQ(to(i, j), i % 3 == 2 ? from(i, j) : 9) << i;
}

TEST_F(SolverKernels, GatherTakesRowsOfEachColumn) {
  const base::MultiVector x = random_vectors(1031, 3, 5);
  const base::MultiVector host = x.to(backend.host());
  for (const std::vector<Index>& rows : {std::vector<Index>{1030}, {0, 7, 8, 500, 1029, 1030}}) {
    SmallMatrix values(static_cast<int>(rows.size()), 3);
    kernels.gather(backend, x.block(), rows, values);
    for (int j = 0; j < 3; ++j)
      for (int r = 0; r < values.rows(); ++r) ASSERT_EQ(values(r, j), host(rows[r], j));
  }
}

TEST_F(SolverKernels, ExtremaAreTheLowestAndTheLargest) {
  const Extrema one = kernels.extrema(backend, from({-3.5}).block());
  EXPECT_EQ(one.lowest, -3.5);
  EXPECT_EQ(one.largest, -3.5);
  std::vector<double> values(5000, 1.0);
  values[4999] = 7;
  values[2500] = -0.25;
  const Extrema found = kernels.extrema(backend, from(values).block());
  EXPECT_EQ(found.lowest, -0.25);
  EXPECT_EQ(found.largest, 7);
}

TEST_F(SolverKernels, LowestRowsEqualThoseOfASort) {
  const base::MultiVector d = random_vectors(3001, 1, 5);
  const base::MultiVector host = d.to(backend.host());
  std::vector<std::pair<double, Index>> sorted;
  for (Index i = 0; i < 3001; ++i) sorted.emplace_back(host(i, 0), i);
  std::ranges::sort(sorted);
  for (const Index count : {Index{0}, Index{1}, Index{33}, Index{3001}, Index{5000}}) {
    std::vector<Index> expected;
    for (Index i = 0; i < std::min<Index>(count, 3001); ++i) expected.push_back(sorted[i].second);
    std::ranges::sort(expected);
    EXPECT_EQ(kernels.lowest(backend, d.block(), count), expected) << count;
  }
}

TEST_F(SolverKernels, OfEqualElementsTheLowerRowsAreTaken) {
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  const base::MultiVector d = from({nan, 2, -0.0, 0.0, 2, -inf, 2, inf, -1});
  EXPECT_EQ(kernels.lowest(backend, d.block(), 2), (std::vector<Index>{5, 8}));
  EXPECT_EQ(kernels.lowest(backend, d.block(), 3), (std::vector<Index>{2, 5, 8}));
  EXPECT_EQ(kernels.lowest(backend, d.block(), 6), (std::vector<Index>{1, 2, 3, 4, 5, 8}));
  EXPECT_EQ(kernels.lowest(backend, d.block(), 8), (std::vector<Index>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(SolverKernels, NormsNeitherOverflowNorUnderflow) {
  solver::Vectors vectors(backend, solver::kOneProcess, base::Layout::whole(3), 2);
  // At 1e-160 squares lose their digits and do not vanish; at 1e152 they are still finite.
  const double factors[] = {1e-200, 1e200, 1e-160, 1e152, 1, 0};
  base::MultiVector x(backend.host(), 3, 6);
  for (int j = 0; j < 6; ++j) {
    x(0, j) = 2 * factors[j];
    x(1, j) = -3 * factors[j];
    x(2, j) = 6 * factors[j];
  }
  const std::vector<double> norms = vectors.norms(x.to(backend).block());
  for (int j = 0; j < 5; ++j) EXPECT_NEAR(norms[j] / factors[j], 7, 1e-14) << factors[j];
  EXPECT_EQ(norms[5], 0);
}

TEST_F(SolverKernels, RotationInPlaceIsTheProduct) {
  const Index rows = 300'001;  // more than one piece of rotate() and gather_to_root()
  solver::Vectors vectors(backend, solver::kOneProcess, base::Layout::whole(rows), 3);
  base::MultiVector v = random_vectors(rows, 5, 3);
  SmallMatrix c(5, 3);
  for (int k = 0; k < 15; ++k) c.values()[k] = 0.1 * k - 0.6;
  base::MultiVector expected(backend, rows, 3);
  base::block_kernels(backend).update(backend, 1, v.block(), c, 0, expected.block());
  const base::MultiVector on_host = vectors.product_on_host(v.block(), c);
  std::vector<double> streamed;
  vectors.gather_to_root(v.block(), c, [&](std::span<const double> some) {
    streamed.insert(streamed.end(), some.begin(), some.end());
  });
  ASSERT_EQ(std::ssize(streamed), 3 * rows);
  vectors.rotate(v.block(), c);
  const base::MultiVector rotated = v.to(backend.host());
  const base::MultiVector wanted = expected.to(backend.host());
  for (int j = 0; j < 3; ++j)
    for (Index i = 0; i < rows; i += 7) {
      ASSERT_NEAR(rotated(i, j), wanted(i, j), 1e-14);
      ASSERT_NEAR(on_host(i, j), wanted(i, j), 1e-14);
      ASSERT_NEAR(streamed[j * rows + i], wanted(i, j), 1e-14);
    }
}

}  // namespace
}  // namespace cisolve::test

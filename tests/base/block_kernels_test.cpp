#include "base/block_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/array.hpp"
#include "base/error.hpp"
#include "base/multivector.hpp"
#include "tests/support/backend.hpp"

namespace cisolve::base {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

MultiVector random_block(Index rows, int columns, unsigned seed) {
  MultiVector block(Backend::reference(), rows, columns);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  for (int j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i) block(i, j) = value(random);
  return block;
}

SmallMatrix random_matrix(int rows, int columns, unsigned seed) {
  SmallMatrix matrix(rows, columns);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  for (double& element : matrix.values()) element = value(random);
  return matrix;
}

/// The larger of both, or NaN if either is NaN.
double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

/// Sizes on both sides of a warp, a tile and a piece.
constexpr Index kRows[] = {0, 1, 7, 8, 31, 33, 255, 256, 257, 511, 512, 513, 1000, 4097, 70001};
constexpr int kColumns[] = {1, 2, 3, 5, 8, 17, 40};  // up to 32 factors are kernel arguments

class BlockKernelsTest : public test::BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    if (!IsSkipped()) backend_.emplace(test::backend_under_test());
  }
  const Backend& backend() const { return *backend_; }
  const BlockKernels& kernels() const { return block_kernels(*backend_); }
  static MultiVector on_host(const MultiVector& block) { return block.to(Backend::reference()); }

 private:
  std::optional<Backend> backend_;
};

TEST_F(BlockKernelsTest, FillCopyScaleAndAxpyFollowTheirFormulas) {
  for (const Index rows : kRows)
    for (const int columns : kColumns) {
      const MultiVector x = random_block(rows, columns, 1);
      const MultiVector y = random_block(rows, columns, 2);
      std::vector<double> factors(columns);
      for (int j = 0; j < columns; ++j) factors[j] = j % 7 - 1.5;
      const MultiVector x_on_backend = x.to(backend());
      MultiVector sum = y.to(backend());
      kernels().axpy(backend(), factors, x_on_backend.block(), sum.block());
      MultiVector scaled(backend(), rows, columns);
      kernels().copy(backend(), x_on_backend.block(), scaled.block());
      kernels().scale(backend(), factors, scaled.block());
      MultiVector filled(backend(), rows, columns);
      kernels().fill(backend(), 0.75, filled.block());
      const MultiVector sums = on_host(sum), products = on_host(scaled),
                        constants = on_host(filled);
      for (int j = 0; j < columns; ++j)
        for (Index i = 0; i < rows; ++i) {
          ASSERT_NEAR(sums(i, j), y(i, j) + factors[j] * x(i, j), 8 * kEps);
          ASSERT_EQ(products(i, j), factors[j] * x(i, j));
          ASSERT_EQ(constants(i, j), 0.75);
        }
    }
}

TEST_F(BlockKernelsTest, RandomBlocksAreTheSameOnEveryBackend) {
  MultiVector on_backend(backend(), 1000, 3);
  kernels().randomise(backend(), 42, on_backend.block());
  MultiVector expected(Backend::reference(), 1000, 3);
  reference::block_kernels().randomise(Backend::reference(), 42, expected.block());
  const MultiVector found = on_host(on_backend);
  double sum = 0;
  for (int j = 0; j < 3; ++j)
    for (Index i = 0; i < 1000; ++i) {
      ASSERT_EQ(found(i, j), expected(i, j));
      ASSERT_LT(std::abs(found(i, j)), 1);
      sum += found(i, j);
    }
  EXPECT_NE(found(0, 0), found(0, 1));
  EXPECT_LT(std::abs(sum) / 3000, 0.05);
}

TEST_F(BlockKernelsTest, APartOfARandomBlockEqualsThatOfTheWholeBlock) {
  MultiVector whole(backend(), 1000, 2);
  kernels().randomise(backend(), 42, whole.block());
  const MultiVector expected = on_host(whole);
  for (const Index first : {0, 1, 333, 999, 1000}) {
    MultiVector on_backend(backend(), 1000 - first, 2);
    kernels().randomise(backend(), 42, first, on_backend.block());
    const MultiVector part = on_host(on_backend);
    for (int j = 0; j < 2; ++j)
      for (Index i = first; i < 1000; ++i) ASSERT_EQ(part(i - first, j), expected(i, j));
  }
}

TEST_F(BlockKernelsTest, GramIsTheMatrixOfInnerProducts) {
  for (const Index rows : kRows)
    for (const int a : kColumns)
      for (const int b : {1, 2, 7}) {
        const MultiVector x = random_block(rows, a, 3);
        const MultiVector y = random_block(rows, b, 4);
        SmallMatrix g(a, b);
        kernels().gram(backend(), x.to(backend()).block(), y.to(backend()).block(), g);
        for (int k = 0; k < b; ++k)
          for (int j = 0; j < a; ++j) {
            long double exact = 0;
            long double magnitude = 0;
            for (Index i = 0; i < rows; ++i) {
              exact += static_cast<long double>(x(i, j)) * y(i, k);
              magnitude += std::abs(static_cast<long double>(x(i, j)) * y(i, k));
            }
            ASSERT_NEAR(g(j, k), static_cast<double>(exact),
                        static_cast<double>(1e-14L * magnitude))
                << rows << " rows, " << a << " x " << b;
          }
      }
}

TEST_F(BlockKernelsTest, NormsAreTheDiagonalOfGram) {
  for (const Index rows : kRows)
    for (const int columns : kColumns) {
      const MultiVector x = random_block(rows, columns, 5);
      std::vector<double> norms(columns, -1);
      kernels().squared_norms(backend(), x.to(backend()).block(), norms);
      for (int j = 0; j < columns; ++j) {
        long double exact = 0;
        for (Index i = 0; i < rows; ++i) exact += static_cast<long double>(x(i, j)) * x(i, j);
        ASSERT_NEAR(norms[j], static_cast<double>(exact), static_cast<double>(1e-14L * exact));
      }
    }
}

TEST_F(BlockKernelsTest, UpdateIsAProductWithASmallMatrix) {
  for (const Index rows : kRows)
    for (const int a : {0, 1, 4, 5, 13, 70})  // up to 256 coefficients are kernel arguments
      for (const int b : {1, 2, 7, 9, 24})
        for (const double beta : {0.0, 1.0, -0.5}) {
          const MultiVector x = random_block(rows, a, 6);
          MultiVector y = random_block(rows, b, 7);
          if (beta == 0)
            for (Index i = 0; i < rows; ++i) y(i, 0) = std::nan("");
          const SmallMatrix c = random_matrix(a, b, 8);
          MultiVector on_backend = y.to(backend());
          kernels().update(backend(), 1.5, x.to(backend()).block(), c, beta, on_backend.block());
          const MultiVector found = on_host(on_backend);
          double deviation = 0;
          for (int k = 0; k < b; ++k) {
            std::vector<long double> exact(static_cast<std::size_t>(rows));
            for (Index i = 0; i < rows && beta != 0; ++i)
              exact[static_cast<std::size_t>(i)] = static_cast<long double>(beta) * y(i, k);
            for (int j = 0; j < a; ++j) {
              const long double factor = 1.5L * c(j, k);
              for (Index i = 0; i < rows; ++i)
                exact[static_cast<std::size_t>(i)] += factor * x(i, j);
            }
            for (Index i = 0; i < rows; ++i)
              deviation = larger(
                  deviation,
                  std::abs(found(i, k) - static_cast<double>(exact[static_cast<std::size_t>(i)])));
          }
          ASSERT_LE(deviation, 1e-14 * (a + 1)) << rows << ' ' << a << ' ' << b << ' ' << beta;
        }
}

// So many rows that a thread of the host has more at once than its first-level cache holds.
TEST_F(BlockKernelsTest, BlocksOfManyRowsAreComplete) {
  constexpr Index kMany = 270'001;
  const MultiVector x = random_block(kMany, 3, 12);
  const MultiVector y = random_block(kMany, 2, 13);
  const MultiVector x_on_backend = x.to(backend());
  MultiVector sum = y.to(backend());
  SmallMatrix g(3, 2);
  std::vector<double> norms(3);
  kernels().gram(backend(), x_on_backend.block(), sum.block(), g);
  kernels().squared_norms(backend(), x_on_backend.block(), norms);
  const SmallMatrix c = random_matrix(3, 2, 14);
  kernels().update(backend(), 1.5, x_on_backend.block(), c, -0.5, sum.block());
  const MultiVector found = on_host(sum);
  for (int j = 0; j < 3; ++j) {
    long double products[3] = {};
    for (Index i = 0; i < kMany; ++i) {
      const long double value = x(i, j);
      for (int k = 0; k < 2; ++k) products[k] += value * y(i, k);
      products[2] += value * value;
    }
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(g(j, k), static_cast<double>(products[k]), 1e-9);
    EXPECT_NEAR(norms[j], static_cast<double>(products[2]), 1e-9);
  }
  for (int k = 0; k < 2; ++k)
    for (Index i = 0; i < kMany; ++i) {
      double expected = -0.5 * y(i, k);
      for (int j = 0; j < 3; ++j) expected += 1.5 * x(i, j) * c(j, k);
      ASSERT_NEAR(found(i, k), expected, 1e-14);
    }
}

/// Single-precision block on the backend, and its values.
struct Single {
  Array<float> values;
  MultiVector exact;
  ConstSingleBlock block() const {
    return {values.data(), exact.rows(), exact.columns(), exact.rows()};
  }
};

Single single_block(Index rows, int columns, unsigned seed, const Backend& backend) {
  MultiVector exact = random_block(rows, columns, seed);
  std::vector<float> values;
  for (int j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i) {
      values.push_back(static_cast<float>(exact(i, j)));
      exact(i, j) = values.back();
    }
  return {Array<float>::copy_of(values, backend, "numbers in single precision"), std::move(exact)};
}

TEST_F(BlockKernelsTest, ProductsWithSinglePrecisionEqualThoseOfTheNumbersInDouble) {
  for (const Index rows : {0, 1, 7, 33, 257, 4097, 70001})
    for (const int a : {1, 3, 16, 17, 35, 530})
      for (const int b : {1, 2, 5, 9}) {
        if (a > 100 && rows > 100) continue;
        const Single x = single_block(rows, a, 3, backend());
        const MultiVector y = random_block(rows, b, 4);
        const MultiVector y_on_backend = y.to(backend());
        SmallMatrix g(a, b);
        SmallMatrix expected(a, b);
        kernels().gram(backend(), x.block(), y_on_backend.block(), g);
        kernels().gram(backend(), x.exact.to(backend()).block(), y_on_backend.block(), expected);
        for (std::size_t k = 0; k < g.values().size(); ++k)
          ASSERT_NEAR(g.values()[k], expected.values()[k], 1e-14 * (1 + static_cast<double>(rows)));
        const SmallMatrix c = random_matrix(a, b, 8);
        for (const double beta : {0.0, 1.0, -0.5}) {
          MultiVector sum = y.to(backend());
          MultiVector expected_sum = y.to(backend());
          kernels().update(backend(), 1.5, x.block(), c, beta, sum.block());
          kernels().update(backend(), 1.5, x.exact.to(backend()).block(), c, beta,
                           expected_sum.block());
          const MultiVector found = on_host(sum), known = on_host(expected_sum);
          double deviation = 0;  // compared once per block: an assertion per element takes seconds
          for (int k = 0; k < b; ++k)
            for (Index i = 0; i < rows; ++i)
              deviation = larger(deviation, std::abs(found(i, k) - known(i, k)));
          ASSERT_LE(deviation, 1e-14 * (a + 1)) << rows << ' ' << a << ' ' << b;
        }
      }
}

TEST_F(BlockKernelsTest, NarrowAndRoundToSingleGiveTheNearestNumbers) {
  for (const Index rows : kRows) {
    const MultiVector x = random_block(rows, 3, 11);
    const std::vector<double> factors{1, 0.25, -3};
    Array<float> on_backend(backend(), 3 * rows, "numbers in single precision");
    kernels().scale_to_single(backend(), factors, x.to(backend()).block(),
                              {on_backend.data(), rows, 3, rows});
    MultiVector rounded = x.to(backend());
    kernels().round_to_single(backend(), rounded.block());
    const Array<float> found = on_backend.to(Backend::reference());
    const MultiVector same = on_host(rounded);
    for (int j = 0; j < 3; ++j)
      for (Index i = 0; i < rows; ++i) {
        ASSERT_EQ(found[j * rows + i], static_cast<float>(factors[j] * x(i, j)));
        ASSERT_EQ(same(i, j), static_cast<double>(static_cast<float>(x(i, j))));
      }
  }
}

TEST_F(BlockKernelsTest, BlocksInsideALargerOneLeaveTheRestAlone) {
  const MultiVector x = random_block(100, 6, 9);
  MultiVector on_backend = x.to(backend());
  kernels().fill(backend(), 0, on_backend.block(2, 3));
  const MultiVector found = on_host(on_backend);
  for (int j = 0; j < 6; ++j)
    for (Index i = 0; i < 100; ++i) ASSERT_EQ(found(i, j), j >= 2 && j < 5 ? 0 : x(i, j));
}

TEST_F(BlockKernelsTest, RepeatsAreBitIdentical) {
  const MultiVector x = random_block(123457, 9, 10).to(backend());
  SmallMatrix first(9, 9);
  std::vector<double> first_norms(9);
  kernels().gram(backend(), x.block(), x.block(), first);
  kernels().squared_norms(backend(), x.block(), first_norms);
  for (int repeat = 0; repeat < 20; ++repeat) {
    SmallMatrix again(9, 9);
    std::vector<double> norms(9);
    kernels().gram(backend(), x.block(), x.block(), again);
    kernels().squared_norms(backend(), x.block(), norms);
    ASSERT_TRUE(std::ranges::equal(again.values(), first.values()));
    ASSERT_EQ(norms, first_norms);
  }
}

// Inner products, also in single precision, norms, and a weighted sum.
std::vector<double> sums_by(int threads) {
  const Backend backend = Backend::openmp(threads);
  const BlockKernels& kernels = block_kernels(backend);
  const MultiVector x = random_block(98765, 5, 11);
  const Single singles = single_block(98765, 3, 12, backend);
  SmallMatrix g(5, 5);
  SmallMatrix with_singles(3, 5);
  std::vector<double> norms(5);
  kernels.gram(backend, x.block(), x.block(), g);
  kernels.gram(backend, singles.block(), x.block(), with_singles);
  kernels.squared_norms(backend, x.block(), norms);
  MultiVector y(backend, x.rows(), 1);
  kernels.update(backend, 1.5, x.block(), random_matrix(5, 1, 8), 0, y.block());
  std::vector<double> all(y.block().column(0), y.block().column(0) + y.rows());
  for (const std::span<const double> more : {g.values(), with_singles.values()})
    all.insert(all.end(), more.begin(), more.end());
  all.insert(all.end(), norms.begin(), norms.end());
  return all;
}

TEST(BlockKernelsOfThreads, BitsDoNotDependOnTheirNumber) {
  const std::vector<double> one = sums_by(1);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(sums_by(threads), one) << threads;
}

TEST(BlockKernelsMisuse, BlocksThatDoNotFitAreRefused) {
  const Backend host = Backend::openmp(1);
  const MultiVector x(host, 4, 2);
  MultiVector y(host, 5, 2);
  EXPECT_THROW(block_kernels(host).copy(host, x.block(), y.block()), Error);
}

}  // namespace
}  // namespace cisolve::base

#include <gtest/gtest.h>

#include <cstring>

#include "base/device.hpp"
#include "base/fill.hpp"
#include "base/text.hpp"
#include "sparse/diagonal/band_pairs.hpp"
#include "sparse/diagonal/matrix_product.hpp"
#include "sparse/diagonal/pair_kernels.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/diagonals.hpp"
#include "tests/support/sanitizers.hpp"

// The device algorithms for products of diagonal matrices: full bands as dense tiles, pairs in
// stages, pairs in groups.
namespace cisolve::sparse {
namespace {

using test::ElementRows;
using test::Elements;

constexpr double kBandTolerance = 1e-13;  // times the sum of |a||b| of an element
const base::Backend kBandHost = base::Backend::openmp(2);

/// All matrices on one backend, whose stream keeps their work in order.
Diagonal stored(const Elements& matrix) {
  static const base::Backend backend = test::backend_under_test();
  return build_diagonal(ElementRows(matrix), {.format = "diagonal"}, kBandHost).to(backend);
}

class ProductOfBands : public test::BackendTest {};

/// 300 diagonals that are far apart.
std::vector<Index> spread_shifts() {
  std::vector<Index> shifts;
  for (Index k = 0; k < 300; ++k) shifts.push_back(-1900 + 12 * k + k % 5);
  return shifts;
}

/// A band without every fourth diagonal.
std::vector<Index> gapped(std::vector<Index> shifts) {
  std::erase_if(shifts, [](Index shift) { return shift % 4 == 1 || shift % 4 == -3; });
  return shifts;
}

/// Compares with the serial result, within the rounding of sums of `terms` terms.
void expect_near(const Diagonal& there, const Diagonal& expected, Index terms) {
  const Diagonal found = there.to(kBandHost);
  ASSERT_EQ(found.values.size(), expected.values.size());
  for (const auto& [base, shift] : found.terms.span())
    for (Index row = std::max<Index>(0, -shift);
         row < std::min(found.shape.rows, found.shape.columns - shift); ++row)
      ASSERT_NEAR(found.values[base + row], expected.values[base + row],
                  kBandTolerance * static_cast<double>(terms))
          << row << ", " << row + shift;
}

/// A B + beta C with C = A B, on a device by one algorithm. With beta = 0 the old C, filled with
/// NaN, must not be read.
Diagonal multiplied(const DiagonalOperand& a, const DiagonalOperand& b,
                    cuda::PairAlgorithm algorithm, bool half = false, double beta = 0) {
  const base::Backend& backend = a.matrix.values.backend();
  const DiagonalProductPlan plan(a, b, half);
  Diagonal c = plan.allocate();
  if (beta == 0)
    base::fill_bytes(c.values, 0xff);
  else
    plan.multiply(a.matrix, b.matrix, 0, c);
  if (backend.is_host())
    plan.multiply(a.matrix, b.matrix, beta, c);
  else
    cuda::place_pairs(backend, plan.pairs(), algorithm)
        ->multiply(a.matrix.values.data(), b.matrix.values.data(), beta, c.values.data());
  return c;
}

bool are_same_bits(const Diagonal& one, const Diagonal& other) {
  const Diagonal here = one.to(kBandHost);
  const Diagonal there = other.to(kBandHost);
  return std::memcmp(here.values.data(), there.values.data(), here.values.bytes()) == 0;
}

/// A matrix on the backend under test, and its copy for one host thread.
struct Both {
  Both(const MatrixShape& shape, const std::vector<Index>& shifts, unsigned seed)
      : there(stored(test::diagonal_elements(shape, shifts, seed))),
        here(there.to(base::Backend::reference())) {}
  Diagonal there;
  Diagonal here;
};

/// The element of a band's slot in a row, of A, B or a result; 0 if the slot is empty.
double value_at(const Diagonal& matrix, BandPairs::Band band, Index slot, Index row) {
  const bool is_within = slot >= 0 && slot < band.width();
  const std::int32_t base = is_within ? band.base(slot) : BandPairs::kNone;
  return base == BandPairs::kNone ? 0 : matrix.values[base + row];
}

// Rows of A times B as dense matrices give the sums of the pairs, for every output.
TEST(BandPairs, AreTheDenseMatricesOfAProduct) {
  const auto rows_of = [](const Elements& matrix) {
    return build_diagonal(ElementRows(matrix), {.format = "diagonal"}, kBandHost);
  };
  const Diagonal a =
      rows_of(test::diagonal_elements({90, 70, 0, false}, gapped(test::band(20, 11)), 1));
  const Diagonal b = rows_of(test::diagonal_elements({70, 80, 0, false}, test::band(-3, 14), 2));
  const DiagonalProductPlan product({a}, {b});
  Diagonal c = product.allocate();
  product.multiply(a, b, 0, c);
  const BandPairs bands = BandPairs::of(product.pairs()).value();
  EXPECT_EQ(bands.a.width(), 32);
  EXPECT_EQ(bands.b.width(), 12);
  EXPECT_EQ(bands.c.width(), 43);
  EXPECT_EQ(bands.c.low, -17);
  for (Index i = 0; i < 90; ++i)
    for (Index k = std::max<Index>(0, i - 17); k < std::min<Index>(80, i + 26); ++k) {
      double sum = 0;
      for (Index j = 0; j < 70; ++j)
        if (j - i >= bands.a.low && j - i < bands.a.low + 32)
          sum += value_at(a, bands.a, j - i - bands.a.low, i) *
                 value_at(b, bands.b, k - j - bands.b.low, j);
      ASSERT_NEAR(value_at(c, bands.c, k - i - bands.c.low, i), sum, 32 * kBandTolerance) << i;
    }
}

// Work of tiles, counted by hand.
TEST(BandPairs, CountTheTilesOfAProduct) {
  const auto of = [](Index rows, const std::vector<Index>& shifts, bool half) {
    const Elements matrix = test::diagonal_elements({rows, rows, 0, false}, shifts, 1);
    const Diagonal a = build_diagonal(ElementRows(matrix), {.format = "diagonal"}, kBandHost);
    return BandPairs::of(DiagonalProductPlan({a}, {a, half}, half).pairs()).value();
  };
  const BandPairs wide = of(256, test::band(100, 100), false);
  EXPECT_EQ(wide.blocks, 2);
  EXPECT_EQ(wide.tiles, (401 + 127 + 63) / 64);
  double adds = 0;
  for (Index i = 0; i < 256; ++i)
    for (Index j = std::max<Index>(0, i - 100); j < std::min<Index>(256, i + 101); ++j)
      adds += static_cast<double>(std::min<Index>(256, j + 101) - std::max<Index>(0, j - 100));
  EXPECT_EQ(wide.multiply_adds, adds);
  EXPECT_GT(wide.of_tiles, 2.0 * 128 * 201 * 201);
  EXPECT_LT(wide.of_tiles, 2.0 * 128 * (201 + 63) * (201 + 80));
  const BandPairs half = of(256, test::band(100, 100), true);
  EXPECT_LT(half.of_tiles, 0.75 * wide.of_tiles);
  EXPECT_GT(half.of_tiles, 0.5 * wide.of_tiles);
}

TEST(BandPairs, AreRefusedForUnsuitableDiagonals) {
  ProductPairs pairs;
  pairs.rows = pairs.inner = pairs.columns = 100;
  EXPECT_FALSE(BandPairs::of(pairs));
  pairs.outputs = {{0, 5}};
  pairs.offsets = {0, 1};
  pairs.pairs = {{0, 0}};
  pairs.steps = {2};
  EXPECT_TRUE(BandPairs::of(pairs));
  pairs.rows = pairs.inner = pairs.columns = Index{1} << 31;
  EXPECT_FALSE(BandPairs::of(pairs));  // rows beyond 32 bits
  pairs.rows = pairs.inner = pairs.columns = 100;
  pairs.pairs = {{(Index{1} << 31) + 5, 0}};
  EXPECT_FALSE(BandPairs::of(pairs));
  pairs.pairs = {{0, (Index{1} << 31) + 5}};
  EXPECT_FALSE(BandPairs::of(pairs));
  pairs.pairs = {{0, 0}, {0, 0}};
  pairs.outputs = {{0, 5}};
  pairs.offsets = {0, 2};
  pairs.steps = {-BandPairs::kWidest, 2};
  EXPECT_FALSE(BandPairs::of(pairs));  // the band is too wide
  pairs.pairs = {{0, 0}};
  pairs.steps = {2};
  pairs.outputs = {{0, 5}, {100, 7}};  // the second output exists, but has no pair
  pairs.offsets = {0, 1, 1};
  EXPECT_FALSE(BandPairs::of(pairs));
}

// Devices multiply full bands as dense tiles: shapes that are no multiples of tiles and steps,
// bands off the main diagonal, as wide as the matrix, or with gaps; transposed operands, beta != 0,
// and half of a symmetric result.
TEST_F(ProductOfBands, IsRightForFullBands) {
  constexpr auto bands = cuda::PairAlgorithm::bands;
  struct Case {
    Index rows, inner, columns;
    std::vector<Index> a, b;
  };
  const Index large = test::unless_sanitized(1000, 300);
  for (const Case& c : {Case{large, large, large, test::band(130, 40), test::band(7, 150)},
                        Case{700, 700, 700, gapped(test::band(90, 99)), gapped(test::band(60, 99))},
                        Case{129, 129, 129, test::band(128, 128), test::band(128, 128)},
                        Case{300, 500, 200, test::band(100, 60), test::band(20, 110)},
                        Case{640, 640, 640, test::band(-200, 330), test::band(300, -190)},
                        Case{130, 130, 130, test::band(-1, 1), test::band(0, 0)}}) {
    SCOPED_TRACE(base::concat(c.rows, " x ", c.inner, " x ", c.columns));
    const Both a({c.rows, c.inner, 0, false}, c.a, 1);
    const Both b({c.inner, c.columns, 0, false}, c.b, 2);
    const auto terms = std::min(std::ssize(c.a), std::ssize(c.b)) + 1;
    const auto expect = [&](bool transposed, bool half, double beta) {
      const Both& left = transposed ? b : a;
      const Both& right = half ? left : transposed ? a : b;
      const bool transposes_right = transposed != half;
      expect_near(
          multiplied({left.there, transposed}, {right.there, transposes_right}, bands, half, beta),
          multiplied({left.here, transposed}, {right.here, transposes_right}, bands, half, beta),
          2 * terms);
    };
    expect(false, false, 0);
    expect(true, false, 0);
    expect(false, false, -0.5);
    expect(false, true, 0);
    expect(true, true, 0);
    expect(false, true, 2);
    EXPECT_TRUE(are_same_bits(multiplied({a.there}, {b.there}, bands),
                              multiplied({a.there}, {b.there}, bands)));
  }
}

/// `count` diagonals that are far apart.
std::vector<Index> distant_diagonals(Index count, Index first, Index step) {
  std::vector<Index> shifts;
  for (Index k = 0; k < count; ++k)
    shifts.push_back(first + step * k + k * k % std::max(step, Index{1}));
  return shifts;
}

// Staged and grouped products give the same bits: with several blocks of many stages per
// multiprocessor, at the borders of matrices of any shape, and in blocks of rows without any pair.
TEST_F(ProductOfBands, IsTheSameInStagesAndInGroups) {
  struct Case {
    Index rows, inner, columns;
    std::vector<Index> a, b;
  };
  const Index large = test::unless_sanitized(3000, 800);
  for (const Case& c :
       {Case{large, large, large, distant_diagonals(110, -700, 13),
             distant_diagonals(111, -720, 13)},
        Case{129, 129, 129, distant_diagonals(60, -120, 4), distant_diagonals(64, -126, 4)},
        Case{900, 201, 901, distant_diagonals(40, -101, 6), distant_diagonals(120, -190, 9)},
        Case{300, 1001, 259, distant_diagonals(150, -290, 8), distant_diagonals(90, -900, 12)}}) {
    SCOPED_TRACE(base::concat(c.rows, " x ", c.inner, " x ", c.columns));
    const Both a({c.rows, c.inner, 0, false}, c.a, 1);
    const Both b({c.inner, c.columns, 0, false}, c.b, 2);
    for (const double beta : {0.0, -0.5})
      for (const bool transposed : {false, true}) {
        const Both& left = transposed ? b : a;
        const Both& right = transposed ? a : b;
        const auto by = [&](cuda::PairAlgorithm algorithm) {
          return multiplied({left.there, transposed}, {right.there, transposed}, algorithm, false,
                            beta);
        };
        const Diagonal staged = by(cuda::PairAlgorithm::stages);
        expect_near(staged,
                    multiplied({left.here, transposed}, {right.here, transposed},
                               cuda::PairAlgorithm::quickest, false, beta),
                    2 * std::ssize(c.a));
        EXPECT_TRUE(are_same_bits(staged, by(cuda::PairAlgorithm::groups)));
        EXPECT_TRUE(are_same_bits(staged, by(cuda::PairAlgorithm::stages)));
      }
  }
}

TEST_F(ProductOfBands, UsesDenseTilesIfFaster) {
  using cuda::PairAlgorithm;
  const base::Backend backend = test::backend_under_test();
  if (backend.is_host()) GTEST_SKIP() << "of devices alone";
  if (base::cuda::describe(backend.device()).major != 9) GTEST_SKIP() << "rates are of an H100";
  const auto way_of = [&](Index rows, const std::vector<Index>& shifts) {
    const Diagonal a = stored(test::diagonal_elements({rows, rows, 0, false}, shifts, 1));
    return cuda::place_pairs(backend, DiagonalProductPlan({a}, {a}).pairs())->algorithm();
  };
  EXPECT_EQ(way_of(2000, test::band(150, 150)), PairAlgorithm::bands);
  EXPECT_EQ(way_of(2000, test::band(10, 10)), PairAlgorithm::stages);
  EXPECT_EQ(way_of(2000, spread_shifts()), PairAlgorithm::stages);
  EXPECT_EQ(way_of(2000, {-1000, 0, 3}), PairAlgorithm::groups);
}

}  // namespace
}  // namespace cisolve::sparse

#include "sparse/diagonal/matrix_product.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

#include "base/error.hpp"
#include "sparse/rows/build.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/diagonals.hpp"

namespace cisolve::sparse {
namespace {

using test::ElementRows;
using test::Elements;
using test::ExactRow;

constexpr double kMatrixTolerance = 1e-13;  // times the sum of |a||b| of an element
const base::Backend kMatrixHost = base::Backend::openmp(2);

Elements transposed(const Elements& matrix) {
  Elements result{{matrix.shape.columns, matrix.shape.rows, 0, matrix.shape.symmetric}, {}};
  for (const auto& [place, value] : matrix.at) result.at[{place.second, place.first}] = value;
  return result;
}

using Exact = std::map<std::pair<Index, Index>, ExactRow>;

/// Element by element: every a_ij with every b_jk.
void add_exact(Exact& sum, const Elements& a, const Elements& b) {
  for (const auto& [place, value] : a.at)
    for (auto found = b.at.lower_bound({place.second, 0});
         found != b.at.end() && found->first.first == place.second; ++found) {
      ExactRow& target = sum[{place.first, found->first.second}];
      const long double term = static_cast<long double>(value) * found->second;
      target.sum += term;
      target.magnitude += std::abs(term);
    }
}

void add_exact(Exact& sum, const Elements& c) {
  for (const auto& [place, value] : c.at) {
    sum[place].sum += value;
    sum[place].magnitude += std::abs(value);
  }
}

/// Compares every position of every stored diagonal, with the mirrored element if half is stored.
void expect_values(const Diagonal& there, const Exact& exact) {
  const Diagonal found = there.to(kMatrixHost);
  std::size_t met = 0;
  for (const auto& [base, shift] : found.terms.span())
    for (Index row = std::max<Index>(0, -shift);
         row < std::min(found.shape.rows, found.shape.columns - shift); ++row) {
      const auto expected = exact.find({row, row + shift});
      const ExactRow value = expected == exact.end() ? ExactRow{} : expected->second;
      met += expected == exact.end() ? 0 : 1;
      ASSERT_NEAR(found.values[base + row], static_cast<double>(value.sum),
                  static_cast<double>(kMatrixTolerance * value.magnitude))
          << row << ", " << row + shift;
    }
  EXPECT_EQ(met, exact.size());  // no element of the product is missing
}

/// All matrices on one backend, whose stream keeps their work in order.
Diagonal stored(const Elements& matrix, const std::string& format) {
  static const base::Backend backend = test::backend_under_test();
  return build_diagonal(ElementRows(matrix), {.format = format}, kMatrixHost).to(backend);
}

class DiagonalMatrixProduct : public test::BackendTest {};

void expect_matrix_product(const Elements& a, const Elements& b, const std::string& format_a,
                           const std::string& format_b) {
  Exact exact;
  add_exact(exact, a, b);
  const Elements a_transposed = transposed(a);
  const Elements b_transposed = transposed(b);
  for (const bool transposes_a : {false, true})
    for (const bool transposes_b : {false, true}) {
      SCOPED_TRACE(base::concat("transposed: ", transposes_a, ", ", transposes_b));
      const Diagonal left = stored(transposes_a ? a_transposed : a, format_a);
      const Diagonal right = stored(transposes_b ? b_transposed : b, format_b);
      const Diagonal c = multiply({left, transposes_a}, {right, transposes_b});
      expect_values(c, exact);
      EXPECT_EQ(c.nonzeros(), std::ssize(exact));
      EXPECT_EQ(c.values.size() - c.padding, std::ssize(exact));
    }
}

TEST_F(DiagonalMatrixProduct, AgreesWithTheElementsForAnyDiagonals) {
  const auto sets = test::awkward_diagonals();
  for (const auto& left : sets)
    for (const auto& right : sets) {
      if (left.rows > 100 || left.rows != left.columns || right.rows != right.columns) continue;
      SCOPED_TRACE(left.name + " by " + right.name);
      const Index n = left.rows;
      std::vector<Index> shifts;  // within the left factor's shape
      for (const Index shift : right.shifts)
        if (std::abs(shift) < n) shifts.push_back(shift);
      const Elements a = test::diagonal_elements({n, n, 0, false}, left.shifts, 1);
      const Elements b = test::diagonal_elements({n, n, 0, false}, shifts, 2);
      expect_matrix_product(a, b, "diagonal", "diagonal");
      expect_matrix_product(a, b, "compact-diagonal", "compact-diagonal");
    }
}

TEST_F(DiagonalMatrixProduct, IsRightForLargerAndRectangularMatrices) {
  const Elements far =
      test::diagonal_elements({700, 700, 0, false}, {-650, -300, -2, 0, 129, 640}, 1);
  const Elements band = test::diagonal_elements({700, 700, 0, false}, test::band(9, 21), 2);
  for (const char* left : {"diagonal", "compact-diagonal"})
    for (const char* right : {"diagonal", "compact-diagonal"}) {
      expect_matrix_product(far, band, left, right);
      expect_matrix_product(band, far, left, right);
    }
  const Elements wide = test::diagonal_elements({150, 400, 0, false}, {-140, 0, 3, 200, 399}, 3);
  const Elements tall = test::diagonal_elements({400, 130, 0, false}, {-399, -100, 0, 1, 129}, 4);
  for (const char* format : {"diagonal", "compact-diagonal"}) {
    expect_matrix_product(wide, tall, format, format);
    expect_matrix_product(tall, test::diagonal_elements({130, 90, 0, false}, {-129, 0, 60}, 6),
                          format, format);
    expect_matrix_product(wide, test::diagonal_elements({400, 400, 0, false}, {-7, 0, 300}, 5),
                          format, "diagonal");
  }
}

TEST_F(DiagonalMatrixProduct, AddsToTheOutput) {
  const Elements a = test::diagonal_elements({200, 200, 0, false}, {-150, 0, 3}, 1);
  const Elements b = test::diagonal_elements({200, 200, 0, false}, {-3, 0, 160}, 2);
  const Elements c = test::diagonal_elements({200, 200, 0, false}, {-199, -77, 0, 5}, 3);
  Exact exact;
  add_exact(exact, a, b);
  add_exact(exact, c);
  for (const char* format : {"diagonal", "compact-diagonal"}) {
    const Diagonal addend = stored(c, format);
    expect_values(multiply({stored(a, format)}, {stored(b, format)}, &addend), exact);
  }
}

TEST_F(DiagonalMatrixProduct, UpdatesASymmetricMatrix) {
  for (const Index n : {1, 64, 65, 300}) {
    std::vector<Index> shifts{0};
    for (const Index shift : {-40, 5, 31, 32, 150, -299})
      if (std::abs(shift) < n) shifts.push_back(shift);
    const Elements a = test::diagonal_elements({n, n, 0, false}, shifts, 1);
    const Elements b = test::diagonal_elements({n, n, 0, false}, {0, n / 3, -n / 2}, 2);
    const Elements c = test::diagonal_elements({n, n, 0, true}, {0, n - 1, n / 2}, 3);
    for (const char* format : {"diagonal", "compact-diagonal"})
      for (const bool adds : {false, true}) {
        SCOPED_TRACE(base::concat(format, ", ", n, " rows, adds ", adds));
        const Diagonal left = stored(a, format);
        const Diagonal right = stored(b, format);
        const Diagonal addend = stored(c, format);
        const Diagonal* plus = adds ? &addend : nullptr;
        Exact once;
        if (adds) add_exact(once, c);
        Exact other = once;
        Exact twice = once;
        add_exact(once, a, transposed(a));
        add_exact(other, transposed(a), a);
        add_exact(twice, a, transposed(b));
        add_exact(twice, b, transposed(a));
        const Diagonal updated = rank_update({left}, plus);
        expect_values(updated, once);
        EXPECT_LE(updated.values.size(), n * (std::ssize(updated.terms.span()) / 2 + 1));
        expect_values(rank_update({left, true}, plus), other);
        expect_values(rank_2_update({left}, {right}, plus), twice);
      }
  }
}

// Half of a symmetric matrix is stored, and its products equal those of the whole.
TEST_F(DiagonalMatrixProduct, AcceptsSymmetricHalfStorage) {
  const Elements a = test::diagonal_elements({131, 131, 0, true}, {0, 4, 65, 100}, 1);
  const Elements b = test::diagonal_elements({131, 131, 0, false}, {-3, 0, 30}, 2);
  for (const char* format : {"diagonal", "compact-diagonal"}) {
    expect_matrix_product(a, b, format, format);
    expect_matrix_product(b, a, format, format);
  }
}

// The diagonals of a product are the sums of those of the factors that are within its shape.
TEST_F(DiagonalMatrixProduct, DeterminesItsDiagonalsBeforeItsValues) {
  const Elements a = test::diagonal_elements({500, 500, 0, false}, {-400, -7, 0, 90, 320}, 1);
  const Elements b = test::diagonal_elements({500, 500, 0, false}, {-333, 0, 8, 410}, 2);
  std::set<Index> shifts;
  Index values = 0;
  for (const Index p : {-400, -7, 0, 90, 320})
    for (const Index q : {-333, 0, 8, 410})
      if (std::abs(p + q) < 500 && shifts.insert(p + q).second) values += 500 - std::abs(p + q);
  const Diagonal left = stored(a, "diagonal");
  const Diagonal right = stored(b, "diagonal");
  const DiagonalProductPlan product({left}, {right});
  EXPECT_EQ(std::ssize(product.pairs().result.diagonals), std::ssize(shifts));
  EXPECT_EQ(product.pairs().result.positions, values);
  Diagonal c = product.allocate();
  EXPECT_EQ(c.values.size(), values);
  product.multiply(left, right, 0, c);
  const Diagonal here = c.to(kMatrixHost);
  for (int repeat = 0; repeat < 20; ++repeat) {  // equal bits, and old values are not read
    Diagonal again = product.allocate();
    product.multiply(left, right, 0, again);
    const Diagonal found = again.to(kMatrixHost);
    ASSERT_EQ(std::memcmp(found.values.data(), here.values.data(), values * 8), 0);
  }
}

/// `count` random diagonals within `range` of the main one.
std::vector<Index> drawn_shifts(Index count, Index range, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<Index> shift(-range, range);
  std::set<Index> drawn;
  while (std::ssize(drawn) < count) drawn.insert(shift(random));
  return {drawn.begin(), drawn.end()};
}

// A thread block needs more of the diagonals than one stage of shared memory holds, and some of
// that is beyond the matrices.
TEST_F(DiagonalMatrixProduct, IsRightInManyStages) {
  constexpr Index kRows = 1500;
  constexpr Index kDiagonals = 180;
  const auto drawn = [&](unsigned seed) {
    return test::diagonal_elements({kRows, kRows, 0, false}, drawn_shifts(kDiagonals, 1200, seed),
                                   seed);
  };
  const Diagonal a = stored(drawn(1), "diagonal");
  const Diagonal b = stored(drawn(2), "diagonal");
  const Diagonal found = multiply({a}, {b}).to(kMatrixHost);
  const Diagonal a_on_host = a.to(base::Backend::reference());
  const Diagonal expected = multiply({a_on_host}, {b.to(base::Backend::reference())});
  ASSERT_EQ(found.values.size(), expected.values.size());
  for (Index i = 0; i < found.values.size(); ++i)
    ASSERT_NEAR(found.values[i], expected.values[i], kMatrixTolerance * kDiagonals) << i;
}

TEST_F(DiagonalMatrixProduct, RefusesWhatDoesNotFit) {
  const Diagonal wide = stored(test::diagonal_elements({4, 6, 0, false}, {0}, 1), "diagonal");
  const Diagonal square = stored(test::diagonal_elements({4, 4, 0, false}, {1}, 1), "diagonal");
  EXPECT_THROW(multiply({wide}, {square}), base::Error);
  EXPECT_THROW(multiply({square}, {wide}, &square), base::Error);
  EXPECT_THROW(rank_update({square}, &square), base::Error);  // not symmetric
  EXPECT_NO_THROW(multiply({wide, true}, {square}));
}

}  // namespace
}  // namespace cisolve::sparse

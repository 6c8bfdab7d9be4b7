#include "sparse/diagonal/diagonal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <sstream>

#include "base/multivector.hpp"
#include "base/text.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/plan.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/diagonals.hpp"
#include "tests/support/products.hpp"

namespace cisolve::sparse {
namespace {

using base::MultiVector;
using test::ElementRows;
using test::Elements;

constexpr double kDiagonalTolerance = 1e-14;
const base::Backend kDiagonalHost = base::Backend::openmp(2);
const std::vector<std::string> kNames{"diagonal", "compact-diagonal"};

class DiagonalProducts : public test::BackendTest {};

void expect_products_of(const Elements& matrix, int most_vectors) {
  const base::Backend backend = test::backend_under_test();
  const MultiVector x = test::random_vectors(matrix.shape.columns, most_vectors, 5);
  const auto exact = test::exact_products(matrix, x);
  for (const std::string& name : kNames) {
    SCOPED_TRACE(name);
    const auto stored = build_matrix(ElementRows(matrix), {.format = name}, backend);
    EXPECT_EQ(stored->nonzeros(), std::ssize(matrix.at));
    const MultiVector x_on_backend = x.to(backend);
    for (const double beta : {0.0, -0.5})
      for (int width = 1; width <= most_vectors; width += width < 5 ? 1 : 6) {
        const MultiVector old = test::old_result(matrix.shape.rows, width, beta, 6);
        MultiVector y = old.to(backend);
        stored->multiply(1.25, x_on_backend.block(0, width), beta, y.block());
        test::expect_products(y.to(base::Backend::reference()), exact, 1.25, beta, old,
                              kDiagonalTolerance);
      }
  }
}

TEST_F(DiagonalProducts, AgreeWithTheElementsForAnySetOfDiagonals) {
  for (const auto& [name, rows, columns, shifts] : test::awkward_diagonals()) {
    SCOPED_TRACE(name);
    expect_products_of(test::diagonal_elements({rows, columns, 0, false}, shifts, 3), 17);
  }
}

TEST_F(DiagonalProducts, AgreeWithTheElementsOfHalfStorage) {
  for (const auto& [name, rows, columns, shifts] : test::awkward_diagonals()) {
    if (rows != columns) continue;
    SCOPED_TRACE(name);
    expect_products_of(test::diagonal_elements({rows, rows, 0, true}, shifts, 4), 17);
  }
}

TEST_F(DiagonalProducts, WithTheTransposeAgree) {
  const base::Backend backend = test::backend_under_test();
  for (const auto& [name, rows, columns, shifts] : test::awkward_diagonals())
    for (const std::string& format : kNames) {
      SCOPED_TRACE(base::concat(name, " as ", format));
      const Elements matrix = test::diagonal_elements({rows, columns, 0, false}, shifts, 3);
      Elements transposed{{columns, rows, 0, false}, {}};
      for (const auto& [place, value] : matrix.at)
        transposed.at[{place.second, place.first}] = value;
      Diagonal built =
          build_diagonal(ElementRows(matrix), {.format = format}, kDiagonalHost).to(backend);
      const double* values = built.values.data();
      const Diagonal on_backend = sparse::transposed(std::move(built));
      EXPECT_EQ(on_backend.values.data(), values);  // nothing was copied
      const Diagonal on_host = on_backend.to(kDiagonalHost);
      std::vector<Column> lengths(columns);
      const DiagonalRows source(on_host);
      source.count(0, lengths);
      std::vector<Column> found_columns(total(lengths));
      std::vector<double> found_values(total(lengths));
      source.fill(0, columns, found_columns, found_values);
      ASSERT_EQ(std::ssize(found_values), std::ssize(transposed.at));
      std::size_t k = 0;
      for (const auto& [place, value] : transposed.at) {
        EXPECT_EQ(found_columns[k], place.second) << place.first;
        EXPECT_EQ(found_values[k++], value) << place.first << ", " << place.second;
      }
    }
}

TEST_F(DiagonalProducts, RepeatsAreBitIdentical) {
  const base::Backend backend = test::backend_under_test();
  for (const bool symmetric : {false, true}) {
    const Elements matrix =
        test::diagonal_elements({3000, 3000, 0, symmetric}, {0, 1, 2, 17, 400, 2500}, 8);
    const MultiVector x = test::random_vectors(3000, 5, 4).to(backend);
    for (const std::string& name : kNames) {
      const auto stored = build_matrix(ElementRows(matrix), {.format = name}, backend);
      MultiVector expected(base::Backend::reference(), 0, 0);
      for (int repeat = 0; repeat < 20; ++repeat) {
        MultiVector on_backend(backend, 3000, 5);
        stored->multiply(1, x.block(), 0, on_backend.block());
        MultiVector y = on_backend.to(base::Backend::reference());
        for (int j = 0; repeat > 0 && j < 5; ++j)
          for (Index i = 0; i < 3000; ++i)
            ASSERT_EQ(std::bit_cast<std::uint64_t>(y(i, j)),
                      std::bit_cast<std::uint64_t>(expected(i, j)));
        if (repeat == 0) expected = std::move(y);
      }
    }
  }
}

/// x may be NaN in columns in which a stored diagonal has no element.
TEST_F(DiagonalProducts, SkipVectorPartsWithoutElements) {
  const base::Backend backend = test::backend_under_test();
  Elements matrix = test::diagonal_elements({700, 700, 0, false}, test::band(3, 3), 8);
  std::erase_if(matrix.at, [](const auto& element) { return element.first.second == 400; });
  for (const std::string& name : kNames)
    for (const int width : {1, 2, 4, 8}) {
      MultiVector x = test::random_vectors(700, width, 4);
      const auto exact = test::exact_products(matrix, x);
      for (int j = 0; j < width; ++j) x(400, j) = std::numeric_limits<double>::quiet_NaN();
      const auto stored = build_matrix(ElementRows(matrix), {.format = name}, backend);
      MultiVector y(backend, 700, width);
      stored->multiply(1, x.to(backend).block(), 0, y.block());
      const MultiVector old(base::Backend::reference(), 700, width);
      test::expect_products(y.to(base::Backend::reference()), exact, 1, 0, old, kDiagonalTolerance);
    }
}

// A full matrix of 4 x 4 that a reader can follow: element (i, j) is 10 (i + 1) + j + 1.
Elements full() {
  Elements matrix{{4, 4, 0, false}, {}};
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) matrix.at[{i, j}] = static_cast<double>(10 * (i + 1) + j + 1);
  return matrix;
}

std::string components_of(const Elements& matrix, const std::string& format) {
  std::ostringstream text;
  build_matrix(ElementRows(matrix), {.format = format}, kDiagonalHost)->write_components(text);
  return text.str();
}

TEST(Diagonal, OrdersDiagonalsAsThePaperDoes) {
  Elements banded = full();
  std::erase_if(banded.at, [](const auto& element) {
    const Index shift = element.first.second - element.first.first;
    return shift > 2 || shift < -2;
  });
  EXPECT_EQ(components_of(banded, "diagonal"),
            "dgX = 5\n"
            "DsX = 0, 1, 2, -1, -2\n"
            "Xlist = 11, 22, 33, 44, 12, 23, 34, 13, 24, 21, 32, 43, 31, 42\n"
            "StartDgX = 0, 4, 7, 9, 12\n");
  EXPECT_EQ(components_of(full(), "compact-diagonal"),
            "dgX = 4\n"
            "DsX = 0, 1, 2, 3\n"
            "Xlist = 11, 22, 33, 44, 12, 23, 34, 41, 13, 24, 31, 42, 14, 21, 32, 43\n");
}

// n (ku + kl + 1) - ku (ku + 1) / 2 - kl (kl + 1) / 2 values, without padding.
TEST(Diagonal, HoldsNoPaddingForAnyShapeOfBand) {
  constexpr Index n = 50;
  for (const auto& [lower, upper] :
       std::vector<std::pair<Index, Index>>{{0, 0}, {3, 1}, {0, 49}, {49, 0}, {1, 49}, {49, 49}}) {
    const Elements matrix = test::diagonal_elements({n, n, 0, false}, test::band(lower, upper), 2);
    const Diagonal stored =
        build_diagonal(ElementRows(matrix), {.format = "diagonal"}, kDiagonalHost);
    const Index values =
        n * (upper + lower + 1) - upper * (upper + 1) / 2 - lower * (lower + 1) / 2;
    EXPECT_EQ(stored.values.size(), values);
    EXPECT_EQ(stored.padding, 0);
    EXPECT_EQ(stored.memory().by_formula, 8 * values + 8 * (upper + lower + 1));
  }
}

TEST(Diagonal, HoldsHalfOfASymmetricMatrix) {
  constexpr Index n = 100;
  const Elements matrix = test::diagonal_elements({n, n, 0, true}, {0, 1, 50, 70}, 2);
  const Diagonal stored =
      build_diagonal(ElementRows(matrix), {.format = "diagonal"}, kDiagonalHost);
  EXPECT_EQ(stored.values.size(), n + (n - 1) + (n - 50) + (n - 70));
  EXPECT_EQ(stored.padding, 0);
  const Diagonal compact =
      build_diagonal(ElementRows(matrix), {.format = "compact-diagonal"}, kDiagonalHost);
  EXPECT_EQ(compact.values.size(), 4 * n);  // lines 0, 1, 50 and 30, which holds 70
  EXPECT_EQ(compact.padding, 1 + 70);  // missing partners of 1 and of 70; 50 fills its own line
}

TEST(Diagonal, PlansEqualTheBytesHeld) {
  for (const auto& [name, rows, columns, shifts] : test::awkward_diagonals())
    for (const bool symmetric : {false, true})
      for (const std::string& format : kNames) {
        if (symmetric && rows != columns) continue;
        SCOPED_TRACE(base::concat(name, " as ", format));
        Elements matrix = test::diagonal_elements({rows, columns, 0, symmetric}, shifts, 3);
        if (!symmetric && matrix.at.size() > 1) matrix.at.erase(matrix.at.begin());
        const ElementRows source(matrix);
        const auto lengths = row_lengths(source, kDiagonalHost);
        const MemoryUse plan =
            plan_format(source, lengths.span(), {.format = format}, kDiagonalHost).memory;
        const Index before = kDiagonalHost.memory().used();
        const auto stored = build_matrix(source, {.format = format}, kDiagonalHost);
        EXPECT_EQ(plan.held, stored->memory().held);
        EXPECT_EQ(plan.held, kDiagonalHost.memory().used() - before);
        EXPECT_EQ(plan.by_formula, stored->memory().by_formula);
        EXPECT_EQ(plan.padding, stored->memory().padding);
      }
}

}  // namespace
}  // namespace cisolve::sparse

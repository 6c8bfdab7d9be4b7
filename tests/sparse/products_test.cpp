#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/multivector.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/plan.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/products.hpp"
#include "tests/support/sanitizers.hpp"

namespace cisolve::sparse {
namespace {

using base::MultiVector;
using test::ElementRows;
using test::Elements;

constexpr double kTolerance = 1e-14;  // times the sum of |a||x| of the row

/// The formats with the options that make them differ.
std::vector<FormatOptions> all_formats() {
  std::vector<FormatOptions> list;
  for (const std::string& name : format_names()) list.push_back({.format = name});
  for (const Index height : {1, 2, 33}) {
    list.push_back({.format = "sell", .slice_height = height});
    list.push_back({.format = "sell-r", .slice_height = height});
  }
  for (const Index height : {32, 33})
    list.push_back({.format = "sell", .slice_height = height, .values = ValueEncoding::coded});
  for (const Index boundary : {0, 1, 5, 32, 33, 1000000}) {
    list.push_back({.format = "hybrid", .boundary = boundary});
    list.push_back({.format = "hybrid", .boundary = boundary, .policy = BoundaryPolicy::column});
  }
  for (const Index size : {1, 3, 16, 1000}) list.push_back({.format = "csb", .block_size = size});
  for (const Index size : {40, 1000})
    list.push_back({.format = "tiled", .block_size = size, .vectors = 4});
  return list;
}

std::string describe(const FormatOptions& options) {
  return base::concat(options.format, ", boundary ", options.boundary, ", policy ",
                      static_cast<int>(options.policy), ", slices of ", options.slice_height,
                      ", blocks of ", options.block_size,
                      options.values == ValueEncoding::coded ? ", coded" : "");
}

/// A matrix, vectors, and the expected product.
struct Case {
  Case(const Elements& elements, int vectors)
      : matrix(elements),
        rows(elements),
        x(test::random_vectors(elements.shape.columns, vectors, 11)),
        exact(test::exact_products(elements, x)) {}
  const Elements& matrix;
  ElementRows rows;
  MultiVector x;
  std::vector<std::vector<test::ExactRow>> exact;
};

/// y = alpha A x + beta y against the oracle, element by element.
void expect_product(const SparseMatrix& stored, const Case& expected, int width, double alpha,
                    double beta) {
  const MultiVector old = test::old_result(stored.rows(), width, beta, 12);
  const MultiVector x_on_backend = expected.x.to(stored.backend());
  MultiVector y_on_backend = old.to(stored.backend());
  stored.multiply(alpha, x_on_backend.block(0, width), beta, y_on_backend.block());
  const MultiVector y = y_on_backend.to(base::Backend::reference());
  test::expect_products(y, expected.exact, alpha, beta, old, kTolerance);
}

class Products : public test::BackendTest {};

// A solver takes all remaining memory for its vectors before the first product: without memory to
// interleave vectors, fewer of them are multiplied at once.
TEST_F(Products, OfManyVectorsStayWithinMemory) {
  if (!test::backend_under_test().is_host()) GTEST_SKIP() << "the host's";
  const Elements matrix = test::random_elements(std::vector<Index>(300, 9), 300, 3);
  const Case expected(matrix, 15);
  const Index vector = 300 * Index{sizeof(double)};
  for (const FormatOptions& options : all_formats())
    for (const Index left : {0, 3, 5, 9}) {  // vectors
      SCOPED_TRACE(describe(options) + base::concat(", room for ", left));
      const auto little = base::Backend::by_name(test::backend_name(), 2, {Index{1} << 22, 0});
      const auto stored = build_matrix(expected.rows, options, little);
      const MultiVector x = expected.x.to(little);
      MultiVector y(little, 300, 15);
      const base::Reservation others(little.memory(), little.memory().left() - left * vector,
                                     "what others take");
      ASSERT_NO_THROW(stored->multiply(1, x.block(), 0, y.block()));
      test::expect_products(y, expected.exact, 1, 0, y, kTolerance);
    }
}

TEST_F(Products, EveryFormatAgreesWithTheElementsOnAwkwardMatrices) {
  const base::Backend backend = test::backend_under_test();
  for (const auto& [name, matrix] : test::awkward_matrices()) {
    const Case expected(matrix, 3);
    for (const FormatOptions& options : all_formats()) {
      if (name == "one huge row" && options.format.starts_with("ellpack")) continue;  // see below
      if (name == "one huge row" && options.format.ends_with("diagonal")) continue;   // see below
      SCOPED_TRACE(name + " as " + describe(options));
      const auto stored = build_matrix(expected.rows, options, backend);
      EXPECT_EQ(stored->nonzeros(), std::ssize(matrix.at));
      expect_product(*stored, expected, 1, 1, 0);
      expect_product(*stored, expected, 3, -0.5, 2);
    }
  }
}

// Rows of all lengths around the size of a segment: exact, one more, one less, several segments,
// many empty rows, many short ones, and all rows in one segment.
TEST_F(Products, AcceptNeighbouringRowsOfAnyLength) {
  const base::Backend backend = test::backend_under_test();
  std::vector<std::vector<Index>> shapes;
  for (const Index length : {1007, 1008, 1009, 1023, 1024, 1025, 2048, 2049, 5000})
    shapes.push_back({3, length, 1, 0, length, 2, 5, 0, 0, length, length, 7, 0, 1, 0});
  shapes.push_back({0, 0, 9000});
  shapes.push_back({512, 0, 128, 128, 256, 7, 1, 120, 384, 9, 503});  // ends at borders of chunks
  shapes.push_back({1020, 1, 1, 1, 1, 3, 0, 0, 8, 8, 1017, 33});
  shapes.emplace_back(5000, 0);
  shapes.back()[2500] = 3;
  shapes.emplace_back(3000, 1);
  shapes.emplace_back(90, 11);
  std::vector<Index>& skewed = shapes.emplace_back(600);
  for (Index i = 0; i < 600; ++i) skewed[i] = i % 97 == 0 ? 400 + i : i % 5;
  for (const std::vector<Index>& lengths : shapes) {
    const Elements matrix = test::random_elements(lengths, 9500, 13);
    const Case expected(matrix, 9);
    for (const char* format : {"csr", "hybrid", "sell"}) {
      if (lengths.size() > 100 && std::string(format) == "sell") continue;
      const auto stored = build_matrix(expected.rows, {.format = format}, backend);
      SCOPED_TRACE(base::concat(format, ", ", lengths.size(), " rows, the second of ", lengths[1]));
      for (int width = 1; width <= 9; ++width) expect_product(*stored, expected, width, 1.5, 0);
      expect_product(*stored, expected, 1, 1, -0.5);
      expect_product(*stored, expected, 4, 1, 2);
    }
  }
}

TEST_F(Products, CsrHoldsWhatIsPlanned) {
  const base::Backend backend = test::backend_under_test();
  for (const auto& [name, matrix] : test::awkward_matrices()) {
    const ElementRows rows(matrix);
    const auto lengths = row_lengths(rows, backend.host());
    const FormatOptions options{.format = "csr"};
    const MemoryUse plan = plan_format(rows, lengths.span(), options, backend).memory;
    const Index before = backend.memory().used();
    const auto stored = build_matrix(rows, options, backend);
    EXPECT_EQ(stored->memory().held, plan.held) << name;
    EXPECT_EQ(stored->memory().by_formula, plan.by_formula) << name;
    EXPECT_EQ(backend.memory().used() - before, plan.held) << name;
  }
}

TEST_F(Products, EllpackTakesOneHugeRow) {
  const base::Backend backend = test::backend_under_test();
  std::vector<Index> lengths(20, 3);
  lengths[7] = 100000;
  const Elements matrix = test::random_elements(lengths, 100001, 5);
  const Case expected(matrix, 2);
  for (const char* name : {"ellpack", "ellpack-r"}) {
    const auto stored = build_matrix(expected.rows, {.format = name}, backend);
    expect_product(*stored, expected, 2, 1, 0);
  }
}

TEST_F(Products, EveryBlockWidthFromOneToSeventeen) {
  const base::Backend backend = test::backend_under_test();
  const Elements matrix = test::random_elements({3, 0, 70, 12, 33, 1, 32, 31, 64, 65, 2}, 90, 3);
  const Case expected(matrix, 17);
  std::vector<FormatOptions> formats{{.format = "tiled", .block_size = 40, .vectors = 2},
                                     {.format = "tiled", .block_size = 40, .vectors = 4},
                                     {.format = "tiled", .block_size = 40, .vectors = 8}};
  for (const std::string& name : format_names()) formats.push_back({.format = name});
  for (const FormatOptions& options : formats) {
    const auto stored = build_matrix(expected.rows, options, backend);
    for (int width = 1; width <= 17; ++width) {
      SCOPED_TRACE(describe(options) + ", vectors at once " + std::to_string(options.vectors));
      expect_product(*stored, expected, width, 1.25, 0);
      expect_product(*stored, expected, width, 1, 1);
    }
  }
}

// Coded values, with all magnitudes in shared memory.
TEST_F(Products, CodedTilesAgreeWithTheElements) {
  const base::Backend backend = test::backend_under_test();
  for (const auto& [name, random] : test::awkward_matrices()) {
    const Elements matrix = test::with_few_magnitudes(random, 30, 11);
    const Case expected(matrix, 3);
    for (const int vectors : {1, 2, 4, 8})
      for (const Index size : {40, 600}) {
        SCOPED_TRACE(base::concat(name, ", tiles of ", size, " for ", vectors));
        const auto stored = build_matrix(expected.rows,
                                         {.format = "tiled",
                                          .block_size = size,
                                          .values = ValueEncoding::coded,
                                          .vectors = vectors},
                                         backend);
        if (std::ssize(matrix.at) > 1000) {
          EXPECT_EQ(stored->values(), ValueEncoding::coded);
        }
        EXPECT_EQ(stored->nonzeros(), std::ssize(matrix.at));
        expect_product(*stored, expected, 1, 1, 0);
        expect_product(*stored, expected, 3, -0.5, 2);
      }
  }
}

// More magnitudes than a device's shared memory holds.
TEST_F(Products, CodedTilesWithRareMagnitudesAgreeWithTheElements) {
  const base::Backend backend = test::backend_under_test();
  const Elements matrix = test::with_few_magnitudes(
      test::random_elements(std::vector<Index>(150, 600), 1'200, 3), 20'000, 11);
  const Case expected(matrix, 17);
  for (const int vectors : {1, 2, 4, 8}) {
    const auto stored = build_matrix(
        expected.rows,
        {.format = "tiled", .block_size = 300, .values = ValueEncoding::coded, .vectors = vectors},
        backend);
    ASSERT_EQ(stored->values(), ValueEncoding::coded);
    for (const int width : {1, 2, 3, 4, 8, 16, 17}) {
      SCOPED_TRACE(base::concat(width, " vectors, tiles for ", vectors));
      expect_product(*stored, expected, width, 1.25, 0);
      expect_product(*stored, expected, width, 1, 1);
    }
  }
}

// Here eight bytes past a multiple of sixteen.
TEST_F(Products, AVectorMayBeginAtAnyValue) {
  const base::Backend backend = test::backend_under_test();
  std::vector<Index> lengths(2001);
  for (Index i = 0; i < 2001; ++i) lengths[i] = (i * 31) % 90;
  const Elements matrix = test::random_elements(lengths, 2001, 9);
  const Case expected(matrix, 1);
  MultiVector longer(base::Backend::reference(), 2002, 1);
  longer(0, 0) = 0;
  std::copy_n(expected.x.block().data, 2001, longer.block().data + 1);
  const MultiVector on_backend = longer.to(backend);
  const base::ConstBlock x{on_backend.block().data + 1, 2001, 1, on_backend.block().stride};
  const MultiVector old = test::old_result(2001, 1, 0, 12);
  for (const FormatOptions& options : all_formats()) {
    SCOPED_TRACE(describe(options));
    const auto stored = build_matrix(expected.rows, options, backend);
    MultiVector y(backend, 2001, 1);
    stored->multiply(1, x, 0, y.block());
    test::expect_products(y.to(base::Backend::reference()), expected.exact, 1, 0, old, kTolerance);
  }
}

TEST_F(Products, PaddingNeverReadsTheVector) {
  const base::Backend backend = test::backend_under_test();
  // No element is in columns 0 and 4, which careless padding would read.
  const Elements matrix{{3, 5, 1, false},
                        {{{0, 1}, 2.0}, {{2, 1}, 3.0}, {{2, 2}, 4.0}, {{2, 3}, 5.0}}};
  MultiVector x(base::Backend::reference(), 5, 1);
  const double infinite = std::numeric_limits<double>::infinity();
  const double values[] = {infinite, 1, 1, 1, infinite};
  for (Index i = 0; i < 5; ++i) x(i, 0) = values[i];
  const MultiVector x_on_backend = x.to(backend);
  for (const FormatOptions& options : all_formats()) {
    const auto stored = build_matrix(ElementRows(matrix), options, backend);
    MultiVector y_on_backend(backend, 3, 1);
    stored->multiply(1, x_on_backend.block(), 0, y_on_backend.block());
    const MultiVector y = y_on_backend.to(base::Backend::reference());
    EXPECT_EQ(y(0, 0), 2) << describe(options);
    EXPECT_EQ(y(1, 0), 0) << describe(options);
    EXPECT_EQ(y(2, 0), 12) << describe(options);
  }
}

TEST_F(Products, RepeatsAreBitIdentical) {
  const base::Backend backend = test::backend_under_test();
  std::vector<Index> lengths(2000);
  for (Index i = 0; i < 2000; ++i) lengths[i] = (i * 31) % 90;
  const Elements matrix = test::random_elements(lengths, 2000, 8);
  const MultiVector x = test::random_vectors(2000, 5, 4).to(backend);
  for (const FormatOptions& options : all_formats()) {
    if (options.format.ends_with("diagonal")) continue;  // diagonal_test.cpp
    const auto stored = build_matrix(ElementRows(matrix), options, backend);
    MultiVector first(backend, 2000, 5);
    stored->multiply(1, x.block(), 0, first.block());
    const MultiVector expected = first.to(base::Backend::reference());
    for (int r = 0; r < test::unless_sanitized(backend.name() == "reference" ? 2 : 20, 2); ++r) {
      MultiVector again(backend, 2000, 5);
      stored->multiply(1, x.block(), 0, again.block());
      const MultiVector y = again.to(base::Backend::reference());
      for (int j = 0; j < 5; ++j)
        ASSERT_EQ(
            std::memcmp(y.block().column(j), expected.block().column(j), 2000 * sizeof(double)), 0)
            << describe(options);
    }
  }
}

TEST_F(Products, EveryFormatFindsItsDiagonal) {
  const base::Backend backend = test::backend_under_test();
  std::vector<Index> lengths(333);
  for (Index i = 0; i < 333; ++i) lengths[i] = i % 60;
  const Elements matrix = test::random_elements(lengths, 333, 21);
  for (const FormatOptions& options : all_formats()) {
    const auto stored = build_matrix(ElementRows(matrix), options, backend);
    MultiVector d_on_backend(backend, 333, 1);
    ASSERT_TRUE(stored->diagonal(d_on_backend.block()));
    const MultiVector d = d_on_backend.to(base::Backend::reference());
    for (Index i = 0; i < 333; ++i) {
      const auto found = matrix.at.find({i, i});
      EXPECT_EQ(d(i, 0), found == matrix.at.end() ? 0 : found->second) << describe(options);
    }
  }
}

TEST_F(Products, OnlyASquareMatrixHasADiagonal) {
  const base::Backend backend = test::backend_under_test();
  const Elements wide = test::random_elements({1, 2, 3}, 4, 2);
  const Elements tall = test::random_elements({1, 2, 3}, 2, 2);
  for (const FormatOptions& options : all_formats())
    for (const Elements* matrix : {&wide, &tall}) {
      const auto stored = build_matrix(ElementRows(*matrix), options, backend);
      MultiVector d(backend, 3, 1);
      EXPECT_FALSE(stored->diagonal(d.block())) << describe(options);
    }
}

TEST_F(Products, ReportsTheCostOfAProduct) {
  const base::Backend backend = test::backend_under_test();
  const Elements matrix = test::random_elements({1, 2, 3, 0, 5}, 5, 2);
  for (const FormatOptions& options : all_formats()) {
    const auto stored = build_matrix(ElementRows(matrix), options, backend);
    const base::OperatorDescription cost = stored->description();
    EXPECT_EQ(cost.flops, 2 * 11) << describe(options);  // multiply and add per element
    EXPECT_EQ(cost.bytes_held, stored->memory().held) << describe(options);
    EXPECT_EQ(cost.bytes_moved, cost.bytes_held + 10 * 8) << describe(options);  // x and y
  }
}

TEST_F(Products, VectorsOfTheWrongLengthAreRefused) {
  const base::Backend backend = test::backend_under_test();
  const Elements matrix = test::random_elements({1, 2, 3}, 4, 2);
  const auto stored = build_matrix(ElementRows(matrix), {.format = "csr"}, backend);
  MultiVector x(backend, 3, 1);
  MultiVector y(backend, 3, 1);
  EXPECT_THROW(stored->multiply(1, x.block(), 0, y.block()), base::Error);
}

}  // namespace
}  // namespace cisolve::sparse

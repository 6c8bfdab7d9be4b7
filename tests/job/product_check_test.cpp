#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/multivector.hpp"
#include "job/products/product.hpp"
#include "sparse/generate/generator.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::job {
namespace {

class ProductCheckTest : public ::testing::Test {
 protected:
  ProductCheckTest() {
    for (Index i = 0; i < kRows; ++i)
      for (int j = 0; j < 2; ++j) x_(i, j) = std::sin(static_cast<double>(7 * i + j + 1));
    sparse::build_matrix(rows_, {.format = "csr"}, host_)->multiply(1, x_.block(), 0, y_.block());
  }
  ProductCheck check() const { return check_product(rows_, x_.block(), y_.block(), host_); }

  static constexpr Index kRows = 500;
  base::Backend host_ = base::Backend::openmp(2);
  sparse::GeneratedRows rows_{
      {.rows = kRows, .reference_per_row = 20, .density = 0.05, .spread = 3}, host_};
  base::MultiVector x_{host_, kRows, 2};
  base::MultiVector y_{host_, kRows, 2};
};

TEST_F(ProductCheckTest, PassesARightProduct) {
  EXPECT_TRUE(check().passed);
  EXPECT_LT(check().max_error, 1e-15);
}

TEST_F(ProductCheckTest, FindsOneWrongElementAndItsRow) {
  y_(137, 1) *= 1 + 1e-11;
  EXPECT_FALSE(check().passed);
  EXPECT_EQ(check().worst_row, 137);
}

TEST_F(ProductCheckTest, FindsValuesThatAreNotNumbers) {
  y_(499, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(check().passed);
  EXPECT_EQ(check().worst_row, 499);
  EXPECT_TRUE(std::isinf(check().max_error));
}

TEST_F(ProductCheckTest, FindsAValueInAnEmptyRow) {
  const sparse::GeneratedRows empty({.rows = kRows}, host_);
  y_(3, 0) = 1e-300;
  EXPECT_FALSE(check_product(empty, x_.block(), y_.block(), host_).passed);
}

}  // namespace
}  // namespace cisolve::job

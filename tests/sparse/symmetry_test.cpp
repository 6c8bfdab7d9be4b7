#include "sparse/formats/symmetry.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "tests/support/matrices.hpp"

namespace cisolve {
namespace {

using test::Elements;
using test::Index;

sparse::Csr on_host(const Elements& elements) {
  return sparse::build_csr(test::ElementRows(elements), base::Backend::openmp(2));
}

double naive_asymmetry(const Elements& matrix) {
  double largest = 0;
  for (const auto& [place, value] : matrix.at) {
    const auto partner = matrix.at.find({place.second, place.first});
    const double other = partner == matrix.at.end() ? 0 : partner->second;
    largest = std::max(largest, std::abs(value - other));
  }
  return largest;
}

Elements symmetric_matrix() {
  Elements matrix = test::random_elements(std::vector<Index>(600, 9), 600, 3);
  const auto half = matrix.at;
  for (const auto& [place, value] : half) matrix.at[{place.second, place.first}] = value;
  for (const auto& [place, value] : half) matrix.at[place] = matrix.at[{place.second, place.first}];
  return matrix;
}

TEST(Symmetry, AsymmetryEqualsThatOfTheNaiveCount) {
  const auto host = base::Backend::openmp(3);
  for (const auto& [name, matrix] : test::awkward_matrices()) {
    if (matrix.shape.rows != matrix.shape.columns) continue;
    EXPECT_EQ(sparse::asymmetry(on_host(matrix), host), naive_asymmetry(matrix)) << name;
  }
  EXPECT_EQ(sparse::asymmetry(on_host(symmetric_matrix()), host), 0);
}

TEST(Symmetry, OneChangedElementIsFoundAndNamed) {
  const auto host = base::Backend::openmp(2);
  Elements matrix = symmetric_matrix();
  matrix.at[{417, 203}] = 1;
  matrix.at[{203, 417}] = 1.5;
  const auto worst = sparse::locate_asymmetry(on_host(matrix), host);
  const double expected = naive_asymmetry(matrix);
  EXPECT_EQ(worst.largest, expected);
  EXPECT_EQ(worst.row, 203);
  EXPECT_EQ(worst.column, 417);
  sparse::require_symmetric(on_host(matrix), "h.mtx", host, 0.5);
  try {
    sparse::require_symmetric(on_host(matrix), "h.mtx", host);
    FAIL() << "accepted";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
    EXPECT_STREQ(error.what(),
                 "h.mtx: the matrix is not symmetric: max |H - H^T| = 0.5 at row 204, column 418; "
                 "expected at "
                 "most 0");
  }
}

TEST(Symmetry, AnElementWithoutPartnerCounts) {
  const Elements matrix{{3, 3, 0, false}, {{{2, 0}, -4.0}, {{1, 1}, 7.0}}};
  EXPECT_EQ(sparse::asymmetry(on_host(matrix), base::Backend::openmp(2)), 4);
}

TEST(Symmetry, NotANumberIsNeverSymmetric) {
  const Elements matrix{{2, 2, 0, false}, {{{0, 0}, std::nan("")}}};
  EXPECT_EQ(sparse::asymmetry(on_host(matrix), base::Backend::openmp(1)),
            std::numeric_limits<double>::infinity());
}

TEST(Symmetry, ARectangleIsRefused) {
  const Elements matrix{{2, 3, 0, false}, {}};
  EXPECT_THROW(sparse::require_symmetric(on_host(matrix), "r", base::Backend::openmp(1)),
               base::Error);
}

}  // namespace
}  // namespace cisolve

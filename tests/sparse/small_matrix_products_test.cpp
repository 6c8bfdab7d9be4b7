#include <gtest/gtest.h>

#include <algorithm>

#include "base/multivector.hpp"
#include "base/text.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/matrix.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/vectors.hpp"

// Matrices so small that the launch dominates the time of a product.
namespace cisolve::sparse {
namespace {

using base::MultiVector;
using RowLengths = std::vector<Index>;

class SmallMatrixProducts : public test::BackendTest {
 protected:
  static MultiVector product(const SparseMatrix& matrix, const MultiVector& x, int first,
                             int count) {
    MultiVector y(matrix.backend(), matrix.rows(), count);
    matrix.multiply(1.5, x.block(first, count), 0, y.block());
    return y.to(base::Backend::reference());
  }
};

std::vector<RowLengths> small_shapes() {
  std::vector<RowLengths> shapes{
      {6, 5, 6, 5, 5, 6, 5, 6, 5}, {1}, {0, 0, 3}, {1024}, {3, 900, 0, 1, 2}};
  shapes.emplace_back(30, 30);
  shapes.emplace_back(90, 11);
  shapes.emplace_back(1024, 1);
  shapes.emplace_back(5, 200);
  return shapes;
}

// One launch and no copy of the vectors, whose address would be in scratch memory.
TEST_F(SmallMatrixProducts, GiveTheSameBitsAloneAndInBlocks) {
  const base::Backend backend = test::backend_under_test();
  for (const RowLengths& lengths : small_shapes()) {
    const Index columns = std::max<Index>(40, *std::ranges::max_element(lengths));
    SCOPED_TRACE(base::concat(lengths.size(), " rows, the first of ", lengths[0]));
    const test::Elements matrix = test::random_elements(lengths, columns, 3);
    const auto stored = build_matrix(test::ElementRows(matrix), {.format = "csr"}, backend);
    const MultiVector x = test::random_vectors(columns, 16, 5).to(backend);
    MultiVector alone(base::Backend::reference(), stored->rows(), 16);
    for (int j = 0; j < 16; ++j) {
      const MultiVector one = product(*stored, x, j, 1);
      for (Index row = 0; row < one.rows(); ++row) alone(row, j) = one(row, 0);
    }
    const Index held = backend.memory().used();
    for (const int width : {2, 3, 4, 7, 8, 16}) {
      const MultiVector block = product(*stored, x, 16 - width, width);
      for (int j = 0; j < width; ++j)
        for (Index row = 0; row < block.rows(); ++row)
          ASSERT_EQ(block(row, j), alone(row, 16 - width + j)) << width << ' ' << row << ' ' << j;
    }
    EXPECT_EQ(backend.memory().used(), held);
  }
}

}  // namespace
}  // namespace cisolve::sparse

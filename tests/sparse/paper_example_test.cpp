#include <gtest/gtest.h>

#include <sstream>

#include "sparse/formats/csb.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/formats/hybrid.hpp"
#include "sparse/formats/sliced.hpp"
#include "sparse/stored/matrix.hpp"
#include "tests/support/matrices.hpp"

// The worked 6 x 5 example of section 3 of the 2018 paper, array by array.
//
// Inconsistencies of the paper:
// - Section 3.1 prints the fourth row of A as 0 0 6 0 3, but its own arrays, and the A of all later
//   sections, have no 3 there: eight non-zeros, 1 to 8.
// - The paper prints the column of a padded position as 1, while its Algorithms 2 and 4 end a row
//   at the column -1: the minus sign is lost in print. We store -1.
namespace cisolve::sparse {
namespace {

const test::Elements kExample{{6, 5, 2, false},
                              {{{0, 0}, 1.0},
                               {{1, 2}, 2.0},
                               {{1, 4}, 3.0},
                               {{2, 1}, 4.0},
                               {{2, 4}, 5.0},
                               {{3, 2}, 6.0},
                               {{4, 3}, 7.0},
                               {{5, 4}, 8.0}}};

template <class T>
std::vector<T> values_of(const base::Array<T>& array) {
  return {array.span().begin(), array.span().end()};
}

class PaperExample : public ::testing::Test {
 protected:
  Sliced sliced(const char* format, Index height) const {
    return build_sliced(rows_, {.format = format, .slice_height = height}, host_);
  }

  /// One slice as the paper prints it: a matrix, row by row.
  template <class T>
  static std::vector<T> printed(const Sliced& matrix, const base::Array<T>& array, Index slice) {
    std::vector<T> list;
    const SlicedView view = matrix.view();
    const Index first = slice * matrix.slice_height;
    for (Index row = first; row < first + matrix.slice_height; ++row)
      for (Index k = 0; k < view.width(slice); ++k) list.push_back(array[view.position(row, k)]);
    return list;
  }

  test::ElementRows rows_{kExample};
  base::Backend host_ = base::Backend::openmp(2);
};

using Doubles = std::vector<double>;
using Columns = std::vector<Column>;
using Indices = std::vector<Index>;

TEST_F(PaperExample, Csr) {
  const Csr matrix = build_csr(rows_, host_);
  EXPECT_EQ(values_of(matrix.values), (Doubles{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(values_of(matrix.columns), (Columns{0, 2, 4, 1, 4, 2, 3, 4}));
  EXPECT_EQ(values_of(matrix.offsets), (Indices{0, 1, 3, 5, 6, 7, 8}));
}

TEST_F(PaperExample, Ellpack) {
  const Sliced matrix = sliced("ellpack", 32);
  EXPECT_EQ(printed(matrix, matrix.values, 0), (Doubles{1, 0, 2, 3, 4, 5, 6, 0, 7, 0, 8, 0}));
  EXPECT_EQ(printed(matrix, matrix.columns, 0), (Columns{0, -1, 2, 4, 1, 4, 2, -1, 3, -1, 4, -1}));
}

TEST_F(PaperExample, EllpackR) {
  const Sliced matrix = sliced("ellpack-r", 32);
  EXPECT_EQ(printed(matrix, matrix.values, 0), (Doubles{1, 0, 2, 3, 4, 5, 6, 0, 7, 0, 8, 0}));
  EXPECT_EQ(printed(matrix, matrix.columns, 0), (Columns{0, -1, 2, 4, 1, 4, 2, -1, 3, -1, 4, -1}));
  EXPECT_EQ(values_of(matrix.lengths), (Columns{1, 2, 2, 1, 1, 1}));
}

TEST_F(PaperExample, SlicedEllpackInThreeSlicesOfTwoRows) {
  for (const char* format : {"sell", "sell-r"}) {
    const Sliced matrix = sliced(format, 2);
    EXPECT_EQ(printed(matrix, matrix.values, 0), (Doubles{1, 0, 2, 3}));
    EXPECT_EQ(printed(matrix, matrix.columns, 0), (Columns{0, -1, 2, 4}));
    EXPECT_EQ(printed(matrix, matrix.values, 1), (Doubles{4, 5, 6, 0}));
    EXPECT_EQ(printed(matrix, matrix.columns, 1), (Columns{1, 4, 2, -1}));
    // The paper labels the third slice "2" again; it has one column and no padding.
    EXPECT_EQ(printed(matrix, matrix.values, 2), (Doubles{7, 8}));
    EXPECT_EQ(printed(matrix, matrix.columns, 2), (Columns{3, 4}));
  }
  EXPECT_EQ(values_of(sliced("sell-r", 2).lengths), (Columns{1, 2, 2, 1, 1, 1}));
}

TEST_F(PaperExample, CsbInBlocksOfTwo) {
  const Csb matrix = build_csb(rows_, {.format = "csb", .block_size = 2}, host_);
  // 3 x 3 blocks by rows: {1}{2}{3}, {4}{6}{5}, {}{7}{8}
  EXPECT_EQ(values_of(matrix.values), (Doubles{1, 2, 3, 4, 6, 5, 7, 8}));
  EXPECT_EQ(values_of(matrix.rows), (std::vector<std::uint16_t>{0, 1, 1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(values_of(matrix.columns), (std::vector<std::uint16_t>{0, 0, 0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(values_of(matrix.block_offsets), (Indices{0, 1, 2, 3, 4, 5, 6, 6, 7, 8}));
}

TEST_F(PaperExample, HybridAsAlgorithmSixFillsIt) {
  const Hybrid matrix = build_hybrid(rows_, {.boundary = 1}, host_);
  EXPECT_EQ(values_of(matrix.ell_values), (Doubles{1, 2, 4, 6, 7, 8}));
  EXPECT_EQ(values_of(matrix.ell_columns), (Columns{0, 2, 1, 2, 3, 4}));
  EXPECT_EQ(values_of(matrix.tail_values), (Doubles{3, 5}));
  EXPECT_EQ(values_of(matrix.tail_columns), (Columns{4, 4}));
  EXPECT_EQ(values_of(matrix.tail_offsets), (Indices{0, 0, 1, 2, 2, 2, 2}));
}

TEST_F(PaperExample, HybridSplitByColumn) {
  const Hybrid matrix =
      build_hybrid(rows_, {.boundary = 3, .policy = BoundaryPolicy::column}, host_);
  EXPECT_EQ(matrix.width, 1);
  EXPECT_EQ(values_of(matrix.ell_values), (Doubles{1, 2, 4, 6, 0, 0}));
  EXPECT_EQ(values_of(matrix.ell_columns), (Columns{0, 2, 1, 2, -1, -1}));
  EXPECT_EQ(values_of(matrix.lengths), (Columns{1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(values_of(matrix.tail_values), (Doubles{3, 5, 7, 8}));
  EXPECT_EQ(values_of(matrix.tail_columns), (Columns{4, 4, 3, 4}));
}

TEST_F(PaperExample, ComponentsAreWrittenInFull) {
  const auto components = [&](FormatOptions options) {
    std::ostringstream out;
    build_matrix(rows_, options, host_)->write_components(out);
    return out.str();
  };
  EXPECT_EQ(components({.format = "csr"}),
            "Value = 1, 2, 3, 4, 5, 6, 7, 8\n"
            "Column = 0, 2, 4, 1, 4, 2, 3, 4\n"
            "RowPtr = 0, 1, 3, 5, 6, 7, 8\n");
  EXPECT_EQ(components({.format = "sell", .slice_height = 3}),
            "NonZerosEntries 1 =\n  [1 0]\n  [2 3]\n  [4 5]\n"
            "Column 1 =\n  [0 -1]\n  [2 4]\n  [1 4]\n"
            "NonZerosEntries 2 =\n  [6]\n  [7]\n  [8]\n"
            "Column 2 =\n  [2]\n  [3]\n  [4]\n");
  EXPECT_EQ(components({.format = "hybrid", .boundary = 1}),
            "NonZerosEntries =\n  [1]\n  [2]\n  [4]\n  [6]\n  [7]\n  [8]\n"
            "ELLPACK_Column =\n  [0]\n  [2]\n  [1]\n  [2]\n  [3]\n  [4]\n"
            "Value = 3, 5\n"
            "CSR_Column = 4, 4\n"
            "AllNonZerosCount = 1, 2, 2, 1, 1, 1\n"
            "StartArr = 0, 0, 1, 2, 2, 2\n"
            "EndArr = 0, 1, 2, 2, 2, 2\n");
  EXPECT_NE(components({.format = "ellpack-r"}).find("RowLength = 1, 2, 2, 1, 1, 1\n"),
            std::string::npos);
  EXPECT_NE(components({.format = "csb", .block_size = 2}).find("Block_ptr = 0, 1, 2, 3"),
            std::string::npos);
}

}  // namespace
}  // namespace cisolve::sparse

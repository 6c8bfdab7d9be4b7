#include "sparse/formats/formulas.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace cisolve::sparse {
namespace {

std::string mebibytes(Index bytes) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.2f", static_cast<double>(bytes) / (1024 * 1024));
  return text.data();
}

TEST(Formulas, ProposedModelGivesTable5OfThePaperFromTheCountsOfItsTable3) {
  struct Matrix {
    Index reference;
    Index expansion;
    const char* proposed_model;
  };
  constexpr Index rows = 32768;
  constexpr Index boundary = 655;
  const std::array<Matrix, 10> matrices = {{{21463040, 9678327, "356.76"},
                                            {21463040, 9673031, "356.70"},
                                            {21463040, 9666827, "356.63"},
                                            {21463040, 9670529, "356.67"},
                                            {21463040, 9669733, "356.66"},
                                            {21463040, 9673530, "356.70"},
                                            {21463040, 9666857, "356.63"},
                                            {21463040, 9670234, "356.67"},
                                            {21463040, 9661419, "356.57"},
                                            {21463040, 9670316, "356.67"}}};
  for (const Matrix& matrix : matrices) {
    EXPECT_EQ(matrix.reference, rows * boundary);
    EXPECT_EQ(mebibytes(hybrid_bytes(rows, boundary, matrix.expansion)), matrix.proposed_model);
  }
}

// The 6 x 5 matrix of the paper's section 3 as its ELLPACK example prints it: eight non-zeros, rows
// of 1, 2, 2, 1, 1 and 1, slices of two rows.
TEST(Formulas, CountTheArraysOfThePapersExample) {
  constexpr Index nonzeros = 8;
  EXPECT_EQ(csr_bytes(6, nonzeros), 8 * 8 + 8 * 4 + 7 * 4);
  EXPECT_EQ(ellpack_bytes(6, 2), 12 * 8 + 12 * 4);
  EXPECT_EQ(ellpack_r_bytes(6, 2), 12 * 8 + 12 * 4 + 6 * 4);
  constexpr Index stored = 2 * 2 + 2 * 2 + 2 * 1;
  EXPECT_EQ(sliced_bytes(stored, 3), 10 * 8 + 10 * 4 + 4 * 4);
  EXPECT_EQ(sliced_r_bytes(stored, 3, 6), 10 * 8 + 10 * 4 + 4 * 4 + 6 * 4);
  EXPECT_EQ(coded_sliced_bytes(stored, 3, 8, 6), 10 * 1 + 10 * 4 + 4 * 4 + 8 * 8 + 6 * 8);
  EXPECT_EQ(csb_bytes(nonzeros, 6), 8 * 8 + 8 * 2 + 8 * 2 + 7 * 4);
  EXPECT_EQ(hybrid_bytes(6, 1, 2), 3 * 6 * 4 + 6 * 8 + 6 * 4 + 2 * 8 + 2 * 4);
}

TEST(Formulas, AnEmptyMatrixKeepsOnlyItsEndPointers) {
  EXPECT_EQ(csr_bytes(0, 0), 4);
  EXPECT_EQ(ellpack_r_bytes(0, 0), 0);
  EXPECT_EQ(sliced_r_bytes(0, 0, 0), 4);
  EXPECT_EQ(csb_bytes(0, 0), 4);
  EXPECT_EQ(hybrid_bytes(0, 655, 0), 0);
}

TEST(Formulas, AreExactBeyond32BitsAndStopAtTheLargestIndex) {
  constexpr Index dimension = INT32_MAX;
  EXPECT_EQ(csr_bytes(dimension, dimension + 2), Index{12} * 2147483649 + Index{4} * 2147483648);
  EXPECT_EQ(ellpack_bytes(1048576, 100000), Index{1258291200000});
  EXPECT_EQ(ellpack_bytes(dimension, dimension), INT64_MAX);
  EXPECT_EQ(ellpack_r_bytes(dimension, dimension), INT64_MAX);
  EXPECT_EQ(hybrid_bytes(dimension, dimension, 1), INT64_MAX);
  EXPECT_EQ(csb_bytes(INT64_MAX, INT64_MAX), INT64_MAX);
}

}  // namespace
}  // namespace cisolve::sparse

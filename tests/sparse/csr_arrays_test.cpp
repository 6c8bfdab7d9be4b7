#include "sparse/rows/csr_arrays.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sparse/formats/csr.hpp"

namespace cisolve::sparse {
namespace {

TEST(CsrArrays, AreStoredAsTheyAre) {
  const std::vector<Index> offsets = {0, 2, 2, 5};  // the second row is empty
  const std::vector<Column> columns = {0, 3, 1, 2, 3};
  const std::vector<double> values = {1, -2, 3, 4, 5};
  const CsrArrays rows({.rows = 3, .columns = 4}, offsets, columns, values);
  const Csr stored = build_csr(rows, base::Backend::openmp(2));
  EXPECT_TRUE(std::ranges::equal(stored.offsets.span(), offsets));
  EXPECT_TRUE(std::ranges::equal(stored.columns.span(), columns));
  EXPECT_TRUE(std::ranges::equal(stored.values.span(), values));
}

TEST(CsrArrays, WithAFaultAreRefusedWithItsRow) {
  struct Case {
    std::vector<Index> offsets;
    std::vector<Column> columns;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{0, 2}, {0, 1}, "has 2 offsets, 2 columns and 3 values"},
      {{1, 2, 3}, {0, 1, 0}, "expected 3 offsets from 0"},
      {{0, 4, 3}, {0, 1, 0}, "row 0 of a CSR matrix goes from offset 0 to 4"},
      {{0, 2, 3}, {1, 1, 0}, "row 0 of a CSR matrix has column 1 as its element 1"},
      {{0, 2, 3}, {0, 1, 2}, "row 1 of a CSR matrix has column 2 as its element 0"},
      {{0, 2, 3}, {0, 1, -1}, "row 1 of a CSR matrix has column -1 as its element 0"}};
  const std::vector<double> values = {1, 2, 3};
  for (const Case& wrong : cases) try {
      const CsrArrays rows({.rows = 2, .columns = 2}, wrong.offsets, wrong.columns, values);
      ADD_FAILURE() << wrong.message;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::bad_input);
      EXPECT_THAT(error.what(), testing::HasSubstr(wrong.message));
    }
}

}  // namespace
}  // namespace cisolve::sparse

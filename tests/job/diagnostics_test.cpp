#include "job/products/diagnostics.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "app/config/load.hpp"

namespace cisolve::app {
namespace {

/// The rows of another source with a planted error.
class RowsWithError final : public sparse::RowSource {
 public:
  RowsWithError(const sparse::RowSource& rows, Index row, double change)
      : rows_(rows), row_(row), change_(change) {}
  sparse::MatrixShape shape() const override { return rows_.shape(); }
  void count(Index first, std::span<sparse::Column> lengths) const override {
    rows_.count(first, lengths);
  }
  void fill(Index first, Index last, std::span<sparse::Column> columns,
            std::span<double> values) const override {
    rows_.fill(first, last, columns, values);
    if (first == row_) values[0] += change_;
  }

 private:
  const sparse::RowSource& rows_;
  Index row_;
  double change_;
};

job::Request chain() {
  return make_configuration(job::ProblemSource::lattice,
                            {{"a test", "problem.lattice.model", "hubbard"},
                             {"a test", "problem.lattice.columns", "6"}})
      .request;
}

TEST(Diagnostics, PassForAHamiltonianAndReportTheSample) {
  const job::DeterminantRows rows(chain(), base::Backend::openmp(2));
  const job::Diagnostics found = job::diagnose(rows, &rows.determinant_problem(), 0);
  EXPECT_TRUE(found.passed());
  EXPECT_TRUE(found.has_determinants);
  EXPECT_GE(found.rows, 50);
  EXPECT_GT(found.elements, 4 * found.rows);
  EXPECT_GT(found.zeros, 50 * found.rows);
  EXPECT_EQ(found.transposed.largest, 0);
}

TEST(Diagnostics, FindAnElementThatDiffersFromTheOracle) {
  const job::DeterminantRows rows(chain(), base::Backend::openmp(2));
  const RowsWithError planted(rows, 0, 1e-9);
  const job::Diagnostics found = job::diagnose(planted, &rows.determinant_problem(), 0);
  EXPECT_FALSE(found.passed());
  // All electrons in the first orbitals: three doubly occupied sites, U = 4; the difference is
  // relative.
  EXPECT_NEAR(found.from_determinants.largest, 1e-9 / 12, 1e-15);
  EXPECT_EQ(found.from_determinants.row, 0);
}

TEST(Diagnostics, FindAnAsymmetricRowWithoutDeterminants) {
  const job::DeterminantRows rows(chain(), base::Backend::openmp(2));
  const Index last = rows.shape().rows - 1;
  const RowsWithError planted(rows, last, 0.5);
  const job::Diagnostics found = job::diagnose(planted, nullptr, 0);
  EXPECT_FALSE(found.passed());
  EXPECT_FALSE(found.has_determinants);
  EXPECT_NEAR(found.transposed.largest, 0.5, 1e-12);
  EXPECT_TRUE(found.transposed.row == last || found.transposed.column == last);
}

TEST(Diagnostics, FindValuesThatAreNotNumbers) {
  const job::DeterminantRows rows(chain(), base::Backend::openmp(2));
  const RowsWithError planted(rows, 0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(job::diagnose(planted, nullptr, 0).passed());
  EXPECT_FALSE(job::diagnose(planted, &rows.determinant_problem(), 0).passed());
}

}  // namespace
}  // namespace cisolve::app

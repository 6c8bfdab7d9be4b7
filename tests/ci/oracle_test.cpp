#include "ci/oracle/oracle_operator.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "base/block_kernels.hpp"
#include "base/multivector.hpp"
#include "ci/oracle/element.hpp"
#include "ci/oracle/work_chunks.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/oracle_systems.hpp"
#include "tests/support/vectors.hpp"

// The oracle against the elements of pairs of determinants.
namespace cisolve::ci {
namespace {

using test::kHost;

/// H x from every pair of determinants.
base::MultiVector naive_product(const test::NamedHamiltonian& h, const base::MultiVector& x) {
  base::MultiVector y(kHost, x.rows(), x.columns());
  std::vector<Determinant> all;
  for (Index row = 0; row < x.rows(); ++row) all.push_back(h.space->determinant(row));
  for (Index i = 0; i < x.rows(); ++i) {
    for (int k = 0; k < x.columns(); ++k) y(i, k) = 0;
    for (Index j = 0; j < x.rows(); ++j) {
      if (excitation_level(all[j], all[i]) > 2) continue;
      const double value = element(*h.integrals, all[i], all[j]);
      if (i != j && std::abs(value) <= h.threshold) continue;
      for (int k = 0; k < x.columns(); ++k) y(i, k) += value * x(j, k);
    }
  }
  return y;
}

void expect_near(const base::MultiVector& found, const base::MultiVector& expected) {
  for (int j = 0; j < expected.columns(); ++j)
    for (Index i = 0; i < expected.rows(); ++i)
      ASSERT_NEAR(found(i, j), expected(i, j), 1e-12) << "row " << i << ", column " << j;
}

base::MultiVector product(const base::LinearOperator& h, const base::MultiVector& x) {
  base::MultiVector y(kHost, x.rows(), x.columns());
  h.apply(x.block(), y.block());
  return y;
}

TEST(Oracle, ProductsEqualThoseOfAllPairsOfDeterminants) {
  for (const test::NamedHamiltonian& h : test::oracle_systems()) {
    SCOPED_TRACE(h.name);
    const base::MultiVector x = test::random_vectors(h.space->dimension(), 2, 1);
    expect_near(product(OracleOperator(*h.space, *h.integrals, h.threshold), x),
                naive_product(h, x));
  }
}

TEST(Oracle, SomeRowsEqualThoseOfAllPairsOfDeterminants) {
  for (const test::NamedHamiltonian& h : test::oracle_systems()) {
    SCOPED_TRACE(h.name);
    const OracleOperator direct(*h.space, *h.integrals, h.threshold);
    const base::MultiVector x = test::random_vectors(h.space->dimension(), 1, 1);
    const base::MultiVector all = naive_product(h, x);
    for (const Index step : {Index{1}, Index{5}}) {  // rows that share an alpha string, and do not
      std::vector<Index> rows;
      for (Index row = step / 2; row < x.rows(); row += step) rows.push_back(row);
      std::vector<double> values(rows.size());
      direct.multiply_rows(rows, x.block().column(0), values);
      for (std::size_t i = 0; i < rows.size(); ++i)
        ASSERT_NEAR(values[i], all(rows[i], 0), 1e-12) << "row " << rows[i];
    }
  }
}

TEST(Oracle, RowsForAGeneratedRandomVectorEqualThoseForAStoredOne) {
  constexpr std::uint64_t kSeed = 77;
  for (const test::NamedHamiltonian& h : test::oracle_systems()) {
    SCOPED_TRACE(h.name);
    const OracleOperator direct(*h.space, *h.integrals, h.threshold);
    base::MultiVector x(kHost, direct.rows(), 1);
    base::block_kernels(kHost).randomise(kHost, kSeed, x.block());
    std::vector<Index> rows;
    for (Index row = 0; row < x.rows(); row += 3) rows.push_back(row);
    std::vector<double> held(rows.size()), values(rows.size());
    direct.multiply_rows(rows, x.block().column(0), held);
    EXPECT_TRUE(direct.multiply_rows_of_random(rows, base::RandomVector(kSeed), values));
    for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_NEAR(values[i], held[i], 1e-13) << rows[i];
  }
}

TEST(Oracle, DiagonalEqualsThatOfTheElements) {
  for (const test::NamedHamiltonian& h : test::oracle_systems()) {
    SCOPED_TRACE(h.name);
    const OracleOperator direct(*h.space, *h.integrals, h.threshold);
    base::MultiVector d(kHost, direct.rows(), 1);
    ASSERT_TRUE(direct.diagonal(d.block()));
    for (Index i = 0; i < d.rows(); ++i) {
      const Determinant determinant = h.space->determinant(i);
      ASSERT_NEAR(d(i, 0), element(*h.integrals, determinant, determinant), 1e-12) << "row " << i;
    }
  }
}

TEST(Oracle, BlocksGiveTheSameBitsAsSingleVectors) {
  for (const test::NamedHamiltonian& h : test::oracle_systems()) {
    SCOPED_TRACE(h.name);
    const OracleOperator direct(*h.space, *h.integrals, h.threshold);
    const base::MultiVector x = test::random_vectors(direct.rows(), 9, 1);
    base::MultiVector alone(kHost, x.rows(), 9);
    for (int j = 0; j < 9; ++j) direct.apply(x.block(j, 1), alone.block(j, 1));
    for (int columns = 1; columns <= 9; ++columns) {
      base::MultiVector together(kHost, x.rows(), columns);
      direct.apply(x.block(0, columns), together.block());
      for (int j = 0; j < columns; ++j)
        for (Index i = 0; i < x.rows(); ++i)
          ASSERT_EQ(together(i, j), alone(i, j)) << "row " << i << ", " << columns << " columns";
    }
  }
}

TEST(Oracle, ExcitationsThatDoNotFitAreRecomputed) {
  int smaller = 0;
  for (const test::NamedHamiltonian& h : test::oracle_systems()) {
    SCOPED_TRACE(h.name);
    const base::MultiVector x = test::random_vectors(h.space->dimension(), 3, 1);
    const OracleOperator held(*h.space, *h.integrals, h.threshold);
    base::MemoryBudget& memory = h.space->host().host_memory();
    const Index kept = 4096;  // less than the caches of integrals and singles need
    const base::Reservation full(memory, memory.left() - held.description().bytes_held - kept,
                                 "a test");
    const OracleOperator found(*h.space, *h.integrals, h.threshold);
    if (found.description().bytes_held < held.description().bytes_held) ++smaller;
    const base::MultiVector a = product(held, x);
    const base::MultiVector b = product(found, x);
    for (int j = 0; j < 3; ++j)
      for (Index i = 0; i < x.rows(); ++i) ASSERT_EQ(a(i, j), b(i, j)) << "row " << i;
    const auto rows_by = [&](const OracleOperator& direct) {
      const std::vector<Index> rows = {0, x.rows() / 2, x.rows() - 1};
      std::vector<double> values(rows.size());
      direct.multiply_rows(rows, x.block().column(0), values);
      return values;
    };
    EXPECT_EQ(rows_by(held), rows_by(found));
  }
  EXPECT_GT(smaller, 10);
}

TEST(Oracle, SelectedRowsHaveTheBitsOfAllRows) {
  for (const test::NamedHamiltonian& h : test::oracle_systems()) {
    SCOPED_TRACE(h.name);
    const base::MultiVector x = test::random_vectors(h.space->dimension(), 3, 1);
    const base::MultiVector all = product(OracleOperator(*h.space, *h.integrals, h.threshold), x);
    for (const int ranks : {1, 2, 5}) {
      OracleOperator direct(*h.space, *h.integrals, h.threshold);
      const base::Layout layout = direct.row_layout(ranks);
      ASSERT_EQ(layout.rows(), x.rows());
      Index first = 0;
      for (int r = 0; r < ranks; ++r, first += layout.count(r - 1)) {
        std::atomic<Index> visits = 0;
        direct.watch([&](Index rows) { visits += rows; });
        direct.keep_rows(first, layout.count(r));
        base::MultiVector y(kHost, layout.count(r), 3);
        direct.apply(x.block(), y.block());
        EXPECT_EQ(visits, y.rows());
        for (int j = 0; j < 3; ++j)
          for (Index i = 0; i < y.rows(); ++i)
            ASSERT_EQ(y(i, j), all(first + i, j)) << "row " << first + i << ", rank " << r;
      }
    }
  }
}

// 210 alpha strings with equally many beta strings, and other spaces' lists.
TEST(Oracle, RanksHaveSimilarWork) {
  const auto full =
      test::named("full CI", test::random_integrals(10, false, 11, {}), full_ci({10, 4, 4}, kHost));
  const base::Layout even = OracleOperator(*full.space, *full.integrals).row_layout(4);
  for (int r = 0; r < 4; ++r) EXPECT_NEAR(static_cast<double>(even.count(r)), 11025, 420) << r;
  // The 115 alpha strings have 115 (one), 25 (24) and 1 (90) beta strings, so the first 31 have
  // half of the work; by strings it would be 57, by excitations 46.
  const auto excited = test::named("singles and doubles", test::random_integrals(10, false, 11, {}),
                                   test::excited({10, 4, 4}, 2));
  const base::Layout uneven = OracleOperator(*excited.space, *excited.integrals).row_layout(2);
  const Index alphas = excited.space->place_of(uneven.count(0) - 1).alpha + 1;
  EXPECT_NEAR(static_cast<double>(alphas), 31, 3);
}

TEST(Oracle, ReportsEveryRowOnce) {
  for (const test::NamedHamiltonian& h : test::oracle_systems()) {
    SCOPED_TRACE(h.name);
    OracleOperator direct(*h.space, *h.integrals, h.threshold);
    std::atomic<Index> visits = 0;
    direct.watch([&](Index rows) { visits += rows; });
    product(direct, test::random_vectors(direct.rows(), 3, 1));
    EXPECT_EQ(visits, direct.rows());
  }
}

// A large item is a chunk by itself; the others are combined, and none is lost.
TEST(WorkChunks, HaveTheirPortionOfWork) {
  EXPECT_EQ(work_chunks(std::vector<double>{50, 20, 9, 9, 9, 3}, 5),
            (std::vector<Index>{0, 1, 2, 4, 6}));
  EXPECT_EQ(work_chunks(std::vector<double>{1, 1, 1, 1, 1, 1}, 2), (std::vector<Index>{0, 3, 6}));
  EXPECT_EQ(work_chunks(std::vector<double>{1, 1}, 100), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(work_chunks(std::vector<double>{0, 0, 0}, 4), (std::vector<Index>{0, 3}));
  EXPECT_EQ(work_chunks({}, 4), (std::vector<Index>{0}));
}

}  // namespace
}  // namespace cisolve::ci

#include "ci/hamiltonian/rows/group_row_builder.hpp"

#include <gtest/gtest.h>

#include "base/fill.hpp"
#include "ci/hamiltonian/rows/row_counter.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/rows/build.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/hamiltonians.hpp"

namespace cisolve::ci {
namespace {

using test::kHost;

std::vector<Column> counted_by_walk(const RowTables& tables, Index end) {
  std::vector<Column> lengths;
  for (Index row = 0; row < tables.shape().rows; ++row) {
    RowLengthCount<SingleThread> sink(tables.view(), end);
    GroupRowBuilder<SingleThread, RowLengthCount<SingleThread>>(tables.view(), row, sink).walk();
    lengths.push_back(sink.count());
  }
  return lengths;
}

/// The matrix as a kernel would fill it, with one thread to a row.
sparse::Csr walked(const RowTables& tables, const sparse::Csr& like) {
  sparse::Csr matrix = sparse::allocate_csr(like.shape, like.nonzeros(), kHost);
  std::ranges::copy(like.offsets.span(), matrix.offsets.data());
  base::fill_bytes(matrix.columns, 0xff);
  const std::vector<Column> reference = counted_by_walk(tables, like.shape.reference_columns);
  const sparse::RowDestinations places{.tail_first = matrix.offsets.data(),
                                       .tail_columns = matrix.columns.data(),
                                       .tail_values = matrix.values.data()};
  for (Index row = 0; row < like.shape.rows; ++row) {
    RowWriter<SingleThread> sink(tables.view(), {places, row}, reference[row]);
    GroupRowBuilder<SingleThread, RowWriter<SingleThread>>(tables.view(), row, sink).walk();
  }
  return matrix;
}

TEST(GroupRowBuilder, GivesTheElementsOfTheHostToTheBit) {
  for (const test::NamedHamiltonian& h : test::hamiltonians()) {
    SCOPED_TRACE(h.name);
    const HamiltonianRows rows = h.rows();
    const sparse::Csr expected = sparse::build_csr(rows, kHost);
    const RowTables tables(rows, kHost);
    const std::vector<Column> lengths = counted_by_walk(tables, expected.shape.columns);
    for (Index row = 0; row < expected.shape.rows; ++row)
      ASSERT_EQ(lengths[row], expected.offsets[row + 1] - expected.offsets[row]) << "row " << row;
    const sparse::Csr found = walked(tables, expected);
    for (Index k = 0; k < expected.nonzeros(); ++k) {
      ASSERT_EQ(found.columns[k], expected.columns[k]) << "element " << k;
      ASSERT_EQ(found.values[k], expected.values[k]) << "element " << k;
    }
  }
}

TEST(GroupRowBuilder, CountsRowsOfFullCiWithoutAWalk) {
  int served = 0;
  for (const test::NamedHamiltonian& h : test::hamiltonians()) {
    SCOPED_TRACE(h.name);
    const HamiltonianRows rows = h.rows();
    const RowTables tables(rows, kHost);
    if (!RowCounter<SingleThread>::serves(tables.view())) continue;
    ++served;
    const base::Array<Column> expected = sparse::row_lengths(rows, kHost);
    for (Index row = 0; row < expected.size(); ++row)
      ASSERT_EQ(RowCounter<SingleThread>(tables.view(), row).count(), expected[row])
          << "row " << row;
  }
  EXPECT_GE(served, 3);
}

TEST(GroupRowBuilder, DividesARowBetweenItsTwoPlaces) {
  const test::NamedHamiltonian h =
      test::named("full CI", test::random_integrals(6, false, 5, {}), full_ci({6, 3, 3}, kHost));
  const HamiltonianRows rows = h.rows();
  const sparse::Csr expected = sparse::build_csr(rows, kHost);
  const RowTables tables(rows, kHost);
  constexpr Index row = 7;
  constexpr Column head = 5;
  constexpr Index step = 3;
  const Index length = expected.offsets[row + 1] - expected.offsets[row];
  ASSERT_GT(length, head);
  std::vector<Column> head_lengths(row + 1, head);
  std::vector<Index> tail_first(row + 1, 2);
  std::vector<Column> columns((row + 1) * head + 2 + step * length, -1);
  std::vector<double> values(columns.size());
  const Index tail = (row + 1) * head;
  const sparse::RowDestinations places{
      head_lengths.data(), head, columns.data(),        values.data(),
      tail_first.data(),   step, columns.data() + tail, values.data() + tail};
  RowWriter<SingleThread> sink(tables.view(), {places, row}, 0);
  GroupRowBuilder<SingleThread, RowWriter<SingleThread>>(tables.view(), row, sink).walk();
  for (Index k = 0; k < length; ++k) {
    const Index place = k < head ? row * head + k : tail + 2 + (k - head) * step;
    EXPECT_EQ(columns[place], expected.columns[expected.offsets[row] + k]);
    EXPECT_EQ(values[place], expected.values[expected.offsets[row] + k]);
  }
}

}  // namespace
}  // namespace cisolve::ci

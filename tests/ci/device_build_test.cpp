#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/multivector.hpp"
#include "ci/fock/models/electron_models.hpp"
#include "ci/hamiltonian/rows/canonical_operator.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "sparse/formats/coded_sliced.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/formats/hybrid.hpp"
#include "sparse/formats/sliced.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/formats.hpp"
#include "sparse/stored/matrix.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/oracle_systems.hpp"
#include "tests/support/tiles.hpp"
#include "tests/support/vectors.hpp"

// The matrix that a device builds is bitwise equal to the host's.
namespace cisolve::ci {
namespace {

using test::kHost;

template <class T>
void expect_equal(const base::Array<T>& found, const base::Array<T>& expected, const char* what) {
  const base::Array<T> found_on_host = found.to(kHost, what);
  ASSERT_EQ(found_on_host.size(), expected.size()) << what;
  for (Index i = 0; i < found_on_host.size(); ++i)
    ASSERT_EQ(found_on_host[i], expected[i]) << what << ", " << i;
}

void expect_equal(const sparse::Csr& found, const sparse::Csr& expected) {
  expect_equal(found.offsets, expected.offsets, "offsets");
  expect_equal(found.columns, expected.columns, "columns");
  expect_equal(found.values, expected.values, "values");
}

void expect_equal(const sparse::Hybrid& found, const sparse::Hybrid& expected) {
  EXPECT_EQ(found.boundary, expected.boundary);
  EXPECT_EQ(found.width, expected.width);
  EXPECT_EQ(found.elements, expected.elements);
  expect_equal(found.lengths, expected.lengths, "lengths");
  expect_equal(found.ell_columns, expected.ell_columns, "ELLPACK columns");
  expect_equal(found.ell_values, expected.ell_values, "ELLPACK values");
  expect_equal(found.tail_offsets, expected.tail_offsets, "tail offsets");
  expect_equal(found.tail_columns, expected.tail_columns, "tail columns");
  expect_equal(found.tail_values, expected.tail_values, "tail values");
}

void expect_equal(const sparse::Sliced& found, const sparse::Sliced& expected) {
  EXPECT_EQ(found.name, expected.name);
  EXPECT_EQ(found.elements, expected.elements);
  expect_equal(found.slice_offsets, expected.slice_offsets, "slice offsets");
  expect_equal(found.columns, expected.columns, "columns");
  expect_equal(found.values, expected.values, "values");
  expect_equal(found.lengths, expected.lengths, "lengths");
}

void expect_equal(const sparse::CodedSliced& found, const sparse::CodedSliced& expected) {
  EXPECT_EQ(found.elements, expected.elements);
  expect_equal(found.slice_offsets, expected.slice_offsets, "slice offsets");
  expect_equal(found.columns, expected.columns, "columns");
  expect_equal(found.codes, expected.codes, "codes");
  expect_equal(found.table, expected.table, "table");
  expect_equal(found.diagonal, expected.diagonal, "diagonal");
}

class DeviceBuild : public test::BackendTest {
 protected:
  /// Calls check(rows, rows on the device) for every Hamiltonian.
  template <class Check>
  static void for_each_hamiltonian(Check check) {
    const base::Backend device = test::backend_under_test();
    for (const test::NamedHamiltonian& h : test::hamiltonians()) {
      SCOPED_TRACE(h.name);
      const HamiltonianRows rows = h.rows();
      check(rows, *rows.on(device));
    }
  }
};

TEST_F(DeviceBuild, CsrIsTheHostsToTheBit) {
  for_each_hamiltonian([](const auto& rows, const auto& device) {
    expect_equal(sparse::build_csr(device), sparse::build_csr(rows, kHost));
  });
}

TEST_F(DeviceBuild, HybridIsTheHostsToTheBit) {
  for_each_hamiltonian([](const auto& rows, const auto& device) {
    for (const Index boundary : {sparse::kAutomatic, Index{0}, Index{7}, Index{1000000}})
      for (const auto policy : {sparse::BoundaryPolicy::count, sparse::BoundaryPolicy::column}) {
        const sparse::FormatOptions options{.boundary = boundary, .policy = policy};
        expect_equal(sparse::build_hybrid(device, options),
                     sparse::build_hybrid(rows, options, kHost));
      }
  });
}

TEST_F(DeviceBuild, EllpackFormatsAreTheHostsToTheBit) {
  for_each_hamiltonian([](const auto& rows, const auto& device) {
    for (const char* format : {"ellpack", "ellpack-r", "sell", "sell-r"}) {
      const sparse::FormatOptions options{.format = format};
      expect_equal(sparse::build_sliced(device, options),
                   sparse::build_sliced(rows, options, kHost));
    }
  });
}

// All slices at once, some at once, one after another; molecules have too many different values.
TEST_F(DeviceBuild, CodedSlicesAreTheHostsToTheBit) {
  const sparse::FormatOptions options{.format = "sell", .values = sparse::ValueEncoding::coded};
  const auto check = [&](const HamiltonianRows& rows) {
    const auto expected = sparse::build_coded_sliced(rows, options, kHost);
    const auto device = rows.on(test::backend_under_test());
    for (const Index scratch : {0, 1000, 1}) {
      const auto found = sparse::build_coded_sliced(*device, options, scratch);
      EXPECT_EQ(found.has_value(), expected.has_value());
      if (found && expected) expect_equal(*found, *expected);
    }
    return expected.has_value();
  };
  for_each_hamiltonian([&](const auto& rows, const auto&) { check(rows); });
  const Integrals hubbard = ci::hubbard({.shape = {7, 1}, .t = 0.5, .u = 2}, kHost);
  Integrals uneven = ci::hubbard({.shape = {7, 1}, .t = 0.5, .u = 2}, kHost);
  for (int p = 0; p < 7; ++p) {
    uneven.set_one(Spin::alpha, p, p, 0.1 * p * p + 0.01);
    for (int q = 0; q < p; ++q)
      uneven.set_two(Spin::alpha, p, p, Spin::beta, q, q, 0.3 / (p - q + 0.1 * q));
  }
  const Space space = full_ci({7, 3, 3}, kHost);
  const Partition canonical(kHost);
  EXPECT_TRUE(check({space, hubbard, canonical, 0}));
  EXPECT_TRUE(check({space, uneven, canonical, 0}));
  const HamiltonianRows rows(space, uneven, canonical, 0);
  EXPECT_EQ(sparse::build_coded_sliced(rows, options, kHost)->diagonal.size(), 1225);
}

TEST_F(DeviceBuild, LeavesValuesPlainWhereThereAreTooMany) {
  const base::Backend device = test::backend_under_test();
  const test::NamedHamiltonian h =
      test::named("full CI", test::random_integrals(6, false, 5, {}), full_ci({6, 3, 3}, kHost));
  const Index before = device.memory().used();
  const auto matrix = sparse::build_matrix(
      h.rows(), {.format = "sell", .values = sparse::ValueEncoding::coded}, device);
  EXPECT_EQ(matrix->values(), sparse::ValueEncoding::plain);
  EXPECT_EQ(matrix->built_by(), base::BackendKind::cuda);
  EXPECT_EQ(device.memory().used() - before, matrix->memory().held);
}

// All rows at once, some blocks at once, one block after another.
TEST_F(DeviceBuild, TilesAreTheHostsToTheBit) {
  for_each_hamiltonian([](const auto& rows, const auto& device) {
    for (const int vectors : {1, 4}) {
      const sparse::TileGeometry geometry{
          .vectors = vectors, .blocks = 7, .largest_tile = 200, .keep_sparse_cells = true};
      const sparse::Tiled expected = sparse::build_tiled(rows, geometry, kHost);
      for (const Index scratch : {0, 300'000, 1})
        test::expect_same_tiles(sparse::build_tiled(device, geometry, scratch), expected);
    }
  });
}

TEST_F(DeviceBuild, CodedTilesAreTheHostsToTheBit) {
  Index coded = 0;
  for_each_hamiltonian([&](const auto& rows, const auto& device) {
    for (const int vectors : {1, 4}) {
      const sparse::TileGeometry geometry{
          .vectors = vectors,
          .blocks = 7,
          .largest_tile = 200,
          .keep_sparse_cells = true,
          .values = sparse::ValueEncoding::coded,
          .common_magnitudes = rows.common_magnitudes(sparse::kMostMagnitudes)};
      const sparse::Tiled expected = sparse::build_tiled(rows, geometry, kHost);
      if (expected.values() == sparse::ValueEncoding::coded) ++coded;
      for (const Index scratch : {0, 300'000, 1})
        test::expect_same_tiles(sparse::build_tiled(device, geometry, scratch), expected);
    }
  });
  EXPECT_GT(coded, 0);
}

TEST_F(DeviceBuild, SaysWhoBuiltAMatrix) {
  const base::Backend device = test::backend_under_test();
  const test::NamedHamiltonian h =
      test::named("full CI", test::random_integrals(6, false, 5, {}), full_ci({6, 3, 3}, kHost));
  for (const std::string& format : sparse::format_names()) {
    const auto matrix = sparse::build_matrix(h.rows(), {.format = format}, device);
    const bool by_device = sparse::format_named(format).build_on_device != nullptr;
    EXPECT_EQ(matrix->built_by(), by_device ? base::BackendKind::cuda : base::BackendKind::openmp)
        << format;
    EXPECT_EQ(matrix->nonzeros(), sparse::total(sparse::row_lengths(h.rows(), kHost).span()));
  }
}

TEST_F(DeviceBuild, IsRefusedIfTheDeviceLacksMemory) {
  const auto device = base::Backend::by_name(test::backend_name(), 0, {.device_bytes = 1 << 20});
  const test::NamedHamiltonian h =
      test::named("full CI", test::random_integrals(8, false, 5, {}), full_ci({8, 4, 4}, kHost));
  try {
    sparse::build_matrix(h.rows(), {.format = "csr"}, device);
    FAIL() << "a matrix of 2.9 MB fits into 1 MiB";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::resources) << error.what();
  }
}

std::vector<test::NamedHamiltonian> all_hamiltonians() {
  std::vector<test::NamedHamiltonian> all = test::hamiltonians();
  for (test::NamedHamiltonian& h : test::oracle_systems()) all.push_back(std::move(h));
  return all;
}

TEST_F(DeviceBuild, TheOracleGivesTheSameProducts) {
  const base::Backend device = test::backend_under_test();
  for (const test::NamedHamiltonian& h : all_hamiltonians()) {
    SCOPED_TRACE(h.name);
    const OracleOperator on_host(*h.space, *h.integrals, h.threshold);
    const auto on_device = oracle_operator_on(device, *h.space, *h.integrals, h.threshold);
    ASSERT_EQ(on_device->rows(), on_host.rows());
    const base::MultiVector x = test::random_vectors(on_host.rows(), 2, 1);
    const base::MultiVector x_on_device = x.to(device);
    base::MultiVector y(kHost, x.rows(), 2);
    base::MultiVector found(device, x.rows(), 2);
    on_host.apply(x.block(), y.block());
    on_device->apply(x_on_device.block(), found.block());
    const base::MultiVector found_on_host = found.to(kHost);
    for (int j = 0; j < 2; ++j)
      for (Index i = 0; i < x.rows(); ++i)
        ASSERT_NEAR(found_on_host(i, j), y(i, j), 1e-12) << "row " << i;
  }
}

TEST_F(DeviceBuild, APartitionIsUndoneOnTheDevice) {
  const base::Backend device = test::backend_under_test();
  for (const test::NamedHamiltonian& h : test::hamiltonians()) {
    if (h.partition->is_canonical()) continue;
    SCOPED_TRACE(h.name);
    const auto stored = sparse::build_matrix(h.rows(), {.format = "csr"}, device);
    const CanonicalOperator canonical(*stored, *h.partition, device);
    const OracleOperator expected(*h.space, *h.integrals, h.threshold);
    const base::MultiVector x = test::random_vectors(expected.rows(), 3, 1);
    const base::MultiVector x_on_device = x.to(device);
    base::MultiVector y(kHost, x.rows(), 4);
    base::MultiVector found(device, x.rows(), 4);
    expected.apply(x.block(), y.block(0, 3));
    canonical.apply(x_on_device.block(), found.block(0, 3));
    ASSERT_TRUE(expected.diagonal(y.block(3, 1)));
    ASSERT_TRUE(canonical.diagonal(found.block(3, 1)));
    const base::MultiVector found_on_host = found.to(kHost);
    for (int j = 0; j < 4; ++j)
      for (Index i = 0; i < x.rows(); ++i)
        ASSERT_NEAR(found_on_host(i, j), y(i, j), 1e-12) << "row " << i;
  }
}

TEST_F(DeviceBuild, TheOracleGivesTheSameBitsInBlocks) {
  const base::Backend device = test::backend_under_test();
  for (const test::NamedHamiltonian& h : all_hamiltonians()) {
    SCOPED_TRACE(h.name);
    const auto direct = oracle_operator_on(device, *h.space, *h.integrals, h.threshold);
    const base::MultiVector x = test::random_vectors(direct->rows(), 9, 1).to(device);
    base::MultiVector single(device, x.rows(), 9);
    for (int j = 0; j < 9; ++j) direct->apply(x.block(j, 1), single.block(j, 1));
    const base::MultiVector alone = single.to(kHost);
    for (int columns = 1; columns <= 9; ++columns) {
      base::MultiVector block(device, x.rows(), columns);
      direct->apply(x.block(0, columns), block.block());
      const base::MultiVector together = block.to(kHost);
      for (int j = 0; j < columns; ++j)
        for (Index i = 0; i < x.rows(); ++i)
          ASSERT_EQ(together(i, j), alone(i, j)) << "row " << i << ", " << columns << " columns";
    }
  }
}

}  // namespace
}  // namespace cisolve::ci

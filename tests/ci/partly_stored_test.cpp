#include "ci/hamiltonian/on_the_fly/partly_stored.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "ci/hamiltonian/on_the_fly/stored_items.hpp"
#include "ci/hamiltonian/rows/chosen_rows.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/computed_products.hpp"

// Products with some rows stored and the others computed.
namespace cisolve::ci {
namespace {

using test::kCanonical;
using test::kHost;

class PartlyStored : public test::BackendTest {};

sparse::FormatOptions stored_as(const std::string& format, sparse::StoredFraction share,
                                Index boundary = sparse::kAutomatic) {
  return {.format = format, .boundary = boundary, .share = share};
}

std::vector<sparse::FormatOptions> storages() {
  return {stored_as("hybrid", {.elements = 0}),
          stored_as("hybrid", {.elements = 0.4}),
          stored_as("hybrid", {.elements = 0.8}, 3),
          stored_as("tiled", {.elements = 0.6}),
          {.format = "sell", .values = sparse::ValueEncoding::coded, .share = {{.elements = 0.5}}},
          stored_as("csr", {})};
}

TEST_F(PartlyStored, AgreesWithStoredElements) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::all_kinds()) {
    const HamiltonianRows in_order(*named.space, *named.integrals, kCanonical, named.threshold);
    const sparse::Csr stored = sparse::build_csr(in_order, kHost);
    const HamiltonianRows h = named.rows();
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 9, 3);
    for (const sparse::FormatOptions& storage : storages()) {
      SCOPED_TRACE(base::concat(named.name, ", ", storage.share->elements, " in ", storage.format));
      const PartlyStoredProduct product(h, storage, backend);
      ASSERT_EQ(product.rows(), x.rows());
      EXPECT_EQ(product.nonzeros(), stored.values.size());
      const base::MultiVector y = test::framed_product(product, x, backend);
      ASSERT_NO_FATAL_FAILURE(test::expect_products(stored, x, y));
    }
  }
}

TEST_F(PartlyStored, HasTheSameBitsEachTime) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::all_kinds()) {
    SCOPED_TRACE(named.name);
    const HamiltonianRows h = named.rows();
    const base::MultiVector x = test::random_vectors(named.space->dimension(), 3, 3);
    const auto storage = stored_as("hybrid", {.elements = 0.5});
    const base::MultiVector first =
        test::framed_product(PartlyStoredProduct(h, storage, backend), x, backend);
    const PartlyStoredProduct again(h, storage, backend);
    for (int time = 0; time < 2; ++time) {
      const base::MultiVector y = test::framed_product(again, x, backend);
      for (Index row = 0; row < x.rows(); ++row)
        for (int j = 0; j < x.columns(); ++j) ASSERT_EQ(y(row, j), first(row, j)) << row;
    }
  }
}

TEST_F(PartlyStored, ReturnsTheDiagonal) {
  const base::Backend backend = test::backend_under_test();
  for (const test::NamedHamiltonian& named : test::all_kinds()) {
    SCOPED_TRACE(named.name);
    const HamiltonianRows h = named.rows();
    const base::Array<double> expected = HamiltonianDiagonal(*named.space, *named.integrals).all();
    const PartlyStoredProduct product(h, stored_as("hybrid", {.elements = 0.7}), backend);
    base::MultiVector d(backend, expected.size(), 1);
    ASSERT_TRUE(product.diagonal(d.block()));
    const base::MultiVector on_host = d.to(base::Backend::reference());
    for (Index i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(on_host(i, 0), expected[i], 1e-14 * std::max(1.0, std::abs(expected[i])));
  }
}

test::NamedHamiltonian truncated() {
  return test::named("CISDT", test::random_integrals(10, false, 5, {}),
                     test::excited({10, 4, 4}, 3));
}

TEST_F(PartlyStored, StoresTheAllowedNumberOfElements) {
  const base::Backend backend = test::backend_under_test();
  const test::NamedHamiltonian named = truncated();
  const HamiltonianRows h = named.rows();
  EXPECT_EQ(PartlyStoredProduct(h, stored_as("csr", {.elements = 0}), backend).stored(), nullptr);
  EXPECT_EQ(PartlyStoredProduct(h, stored_as("csr", {.bytes = 0}), backend).stored(), nullptr);
  for (const double share : {0.2, 0.5, 0.9}) {
    const PartlyStoredProduct product(h, stored_as("csr", {.elements = share}), backend);
    ASSERT_NE(product.stored(), nullptr);
    const double most = share * static_cast<double>(product.nonzeros());
    EXPECT_LE(static_cast<double>(product.stored()->nonzeros()), most);
    EXPECT_GT(static_cast<double>(product.stored()->nonzeros()), 0.9 * most);
  }
  const PartlyStoredProduct all(h, stored_as("csr", {}), backend);
  EXPECT_EQ(all.stored()->nonzeros(), all.nonzeros());
  EXPECT_EQ(all.stored()->shape().rows, all.rows());
}

TEST_F(PartlyStored, HoldsNoMoreThanTheAllowedBytes) {
  const base::Backend backend = test::backend_under_test();
  const test::NamedHamiltonian named = truncated();
  const HamiltonianRows h = named.rows();
  const Index whole = PartlyStoredProduct(h, stored_as("csr", {}), backend).stored()->memory().held;
  for (const char* format : {"csr", "hybrid", "ellpack", "sell", "tiled"})
    for (const int tenths : {2, 5, 8}) {
      SCOPED_TRACE(base::concat(format, ", ", tenths));
      const Index bytes = whole * tenths / 10;
      const PartlyStoredProduct product(h, stored_as(format, {.bytes = bytes}), backend);
      ASSERT_NE(product.stored(), nullptr);
      EXPECT_LE(product.stored()->memory().held, bytes);
      EXPECT_GT(product.stored()->memory().held, bytes / 2);
    }
}

// A solver takes all remaining memory for its vectors before the first product. Products in
// narrower groups differ by rounding.
TEST_F(PartlyStored, HoldsTheWorkspaceOfItsProducts) {
  const base::Backend little = base::Backend::openmp(1, {Index{16} << 20, 0});
  const test::NamedHamiltonian named = truncated();
  sparse::FormatOptions storage = stored_as("csr", {.elements = 0.4});
  storage.vectors = 2;
  const PartlyStoredProduct product(named.rows(), storage, little);
  ASSERT_NE(product.stored(), nullptr);
  const Index reach = product.stored_rows().back() - product.stored_rows().front() + 1;
  ASSERT_GT(reach, std::ssize(product.stored_rows())) << "rows that go where they are stored";
  const base::MultiVector x = test::random_vectors(product.rows(), 5, 3).to(little);
  base::MultiVector y(little, product.rows(), 5);
  base::MultiVector z(little, product.rows(), 5);
  {
    const base::Reservation others(little.memory(), little.memory().left(), "what others take");
    EXPECT_NO_THROW(product.apply(x.block(), y.block()));
  }
  product.apply(x.block(), z.block());
  for (int j = 0; j < 5; ++j)
    for (Index i = 0; i < product.rows(); ++i) ASSERT_NEAR(y(i, j), z(i, j), 1e-12);
}

TEST_F(PartlyStored, StoresTheReferenceRegionFirst) {
  const base::Backend backend = test::backend_under_test();
  const auto storage = stored_as("csr", {.elements = 0.1});
  test::NamedHamiltonian named = truncated();
  Index reference = 0;  // a row not stored for another reason
  {
    const HamiltonianRows plain = named.rows();
    const PartlyStoredProduct product(plain, storage, backend);
    ASSERT_NE(product.stored(), nullptr);
    for (const Column row : product.stored_rows()) reference += row == reference ? 1 : 0;
  }
  *named.partition = Partition::where(*named.space, [&](Index row) { return row == reference; });
  const HamiltonianRows h = named.rows();
  const PartlyStoredProduct product(h, storage, backend);
  EXPECT_TRUE(std::ranges::binary_search(product.stored_rows(), static_cast<Column>(reference)));
}

TEST(ChosenRows, EqualThoseOfTheCanonicalMatrix) {
  for (const test::NamedHamiltonian& named : test::hamiltonians()) {
    SCOPED_TRACE(named.name);
    const HamiltonianRows in_order(*named.space, *named.integrals, kCanonical, named.threshold);
    const sparse::Csr all = sparse::build_csr(in_order, kHost);
    std::vector<Column> rows;
    for (Index row = 0; row < named.space->dimension(); row += row % 3 + 1)
      rows.push_back(static_cast<Column>(row));
    const HamiltonianRows h = named.rows();
    const sparse::Csr some = sparse::build_csr(ChosenRows(h, rows), kHost);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Index size = some.offsets[i + 1] - some.offsets[i];
      ASSERT_EQ(size, all.offsets[rows[i] + 1] - all.offsets[rows[i]]);
      for (Index k = 0; k < size; ++k) {
        ASSERT_EQ(some.columns[some.offsets[i] + k], all.columns[all.offsets[rows[i]] + k]);
        ASSERT_EQ(some.values[some.offsets[i] + k], all.values[all.offsets[rows[i]] + k]);
      }
    }
  }
}

using Chosen = std::vector<bool>;

/// The largest kept item determines the time.
double cost_of_kept(const std::vector<StorableItem>& items, const Chosen& is_kept) {
  constexpr double kAtOnce = 3;
  double sum = 0;
  double largest = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!is_kept[i]) continue;
    sum += items[i].work;
    largest = std::max(largest, items[i].work);
  }
  return std::max(sum, kAtOnce * largest);
}

Chosen stored_of(const std::vector<StorableItem>& items, Index nonzeros, double bytes = 1e9) {
  return stored_items(items, {nonzeros, bytes, 10, 8},
                      [&](const Chosen& is_kept) { return cost_of_kept(items, is_kept); });
}

TEST(StoredItems, HaveTheMostWorkPerElement) {
  const std::vector<StorableItem> items{{.work = 10, .rows = 1, .nonzeros = 40},
                                        {.work = 10, .rows = 1, .nonzeros = 20},
                                        {.work = 10, .rows = 1, .nonzeros = 5},
                                        {.work = 10, .rows = 1, .nonzeros = 10}};
  EXPECT_EQ(stored_of(items, 0), Chosen({false, false, false, false}));
  EXPECT_EQ(stored_of(items, 5), Chosen({false, false, true, false}));
  EXPECT_EQ(stored_of(items, 40), Chosen({false, true, true, true}));
  EXPECT_EQ(stored_of(items, 75), Chosen({true, true, true, true}));
}

TEST(StoredItems, AreTheLargestIfTheseDetermineTheTime) {
  // 20 small items and a large one, which has less work for its size.
  std::vector<StorableItem> items(20, {.work = 2, .rows = 1, .nonzeros = 10});
  items.push_back({.work = 30, .rows = 1, .nonzeros = 200});
  Chosen large(21, false);
  large.back() = true;
  EXPECT_EQ(stored_of(items, 200), large);
  Chosen small(21, true);
  small.back() = false;
  items.back().nonzeros = 201;
  EXPECT_EQ(stored_of(items, 200), small);
}

TEST(StoredItems, BeginWithTheReferenceRegion) {
  const std::vector<StorableItem> items{
      {.work = 100, .rows = 1, .nonzeros = 10},
      {.work = 1, .rows = 1, .nonzeros = 10, .is_reference = true}};
  EXPECT_EQ(stored_of(items, 10), Chosen({false, true}));
  EXPECT_EQ(stored_of(items, 20), Chosen({true, true}));
}

TEST(StoredItems, AreFewerIfTheyHeldTooMuchAndNoneWithoutMemory) {
  StorageAllowance share{.nonzeros = 100, .bytes = 1000, .element_bytes = 10, .row_bytes = 8};
  EXPECT_TRUE(fits_or_reduces(share, 1000));
  EXPECT_EQ(share.element_bytes, 10);
  EXPECT_FALSE(fits_or_reduces(share, 2000));
  EXPECT_DOUBLE_EQ(share.element_bytes, 20.4);
  EXPECT_EQ(share.nonzeros, 100);
  share.bytes = 0;
  EXPECT_FALSE(fits_or_reduces(share, 8));
  EXPECT_DOUBLE_EQ(share.element_bytes, 20.4);  // no division by zero
  EXPECT_EQ(share.nonzeros, 0);
  EXPECT_TRUE(fits_or_reduces(share, 0));
}

TEST(StoredItems, LeaveFreeMemory) {
  const std::vector<StorableItem> items{{.work = 9, .rows = 10, .nonzeros = 10},
                                        {.work = 9, .rows = 1, .nonzeros = 12}};
  EXPECT_EQ(stored_of(items, 100, 180), Chosen({true, false}));
  EXPECT_EQ(stored_of(items, 100, 179), Chosen({false, true}));
  EXPECT_EQ(stored_of(items, 100, 127), Chosen({false, false}));
  EXPECT_EQ(stored_of(items, 100, 308), Chosen({true, true}));
}

}  // namespace
}  // namespace cisolve::ci

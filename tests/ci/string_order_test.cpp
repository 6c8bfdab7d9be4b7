#include "ci/hamiltonian/factorised/string_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "ci/hamiltonian/factorised/same_spin_blocks.hpp"
#include "tests/support/computed_products.hpp"

// The order of strings in a same-spin matrix.
namespace cisolve::ci {
namespace {

const base::Backend kAnyHost = base::Backend::openmp();

/// Full CI of 6 electrons of each spin in 12 orbitals, every second of them odd.
SameSpinMatrix matrix_of_chain() {
  std::vector<int> irreps(12);
  for (int p = 0; p < 12; ++p) irreps[p] = p % 2;
  const test::NamedHamiltonian named = test::named(
      "a chain", test::random_integrals(12, false, 5, irreps), full_ci({12, 6, 6}, kAnyHost));
  const RowTables tables(named.rows(), kAnyHost);
  std::vector<SameSpinBlock> blocks = same_spin_blocks(tables, kAnyHost);
  EXPECT_EQ(blocks.size(), 1);
  return std::move(blocks.front().alpha);
}

/// First row of each row's connected component.
std::vector<Index> parts_of(const SameSpinMatrix& matrix) {
  std::vector<Index> part(matrix.rows(), -1);
  for (Index first = 0; first < matrix.rows(); ++first) {
    std::vector<Index> to_visit;
    if (part[first] < 0) to_visit = {first};
    while (!to_visit.empty()) {
      const Index row = to_visit.back();
      to_visit.pop_back();
      if (part[row] >= 0) continue;
      part[row] = first;
      for (Index k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k)
        to_visit.push_back(matrix.columns[k]);
    }
  }
  return part;
}

/// Number of non-empty 8 x 8 tiles if row i is at places[i].
std::size_t squares_of(const SameSpinMatrix& matrix, const std::vector<Index>& places) {
  std::set<std::pair<Index, Index>> squares;
  for (Index row = 0; row < matrix.rows(); ++row)
    for (Index k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k)
      squares.emplace(places[row] / 8, places[matrix.columns[k]] / 8);
  return squares.size();
}

TEST(StringOrder, VisitsEachStringOnceInParts) {
  const SameSpinMatrix matrix = matrix_of_chain();
  std::vector<Index> strings = matrix.strings;
  std::ranges::sort(strings);
  std::vector<Index> all(924);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(strings, all);
  EXPECT_TRUE(std::ranges::is_sorted(parts_of(matrix)));
}

TEST(StringOrder, FillsTilesBetterThanNumericalOrder) {
  const SameSpinMatrix matrix = matrix_of_chain();
  const std::vector<Index> parts = parts_of(matrix);
  std::vector<Index> here(matrix.rows());
  std::iota(here.begin(), here.end(), 0);
  std::vector<Index> by_number = here;
  std::ranges::sort(by_number, {},
                    [&](Index row) { return std::pair(parts[row], matrix.strings[row]); });
  std::vector<Index> places(matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i) places[by_number[i]] = i;
  EXPECT_LE(squares_of(matrix, here), 0.86 * static_cast<double>(squares_of(matrix, places)));
}

TEST(StringOrder, IsNumericalOrderForFewOrbitals) {
  const SameSpinPattern pattern{
      base::Array<Index>::copy_of(std::vector<Index>{0, 1, 2, 3}, kAnyHost, "a"),
      base::Array<Column>::copy_of(std::vector<Column>{0, 1, 2}, kAnyHost, "b")};
  const std::uint8_t occupied[] = {0, 1, 2};
  const StringOrbitals strings{3, 1, {occupied, occupied + 1, occupied + 2}, {0, 0, 0}};
  EXPECT_EQ(string_order(pattern, strings, kAnyHost), (std::vector<Index>{0, 1, 2}));
  const SameSpinPattern none{base::Array<Index>::copy_of(std::vector<Index>{0}, kAnyHost, "a"),
                             base::Array<Column>(kAnyHost, 0, "b")};
  EXPECT_TRUE(string_order(none, {0, 0, {}, {}}, kAnyHost).empty());
}

}  // namespace
}  // namespace cisolve::ci

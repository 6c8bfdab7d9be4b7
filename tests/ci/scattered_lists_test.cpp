#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <random>
#include <vector>

#include "ci/fock/spaces/spaces.hpp"
#include "ci/hamiltonian/rows/alpha_batch_rows.hpp"
#include "ci/hamiltonian/rows/chosen_rows.hpp"
#include "ci/hamiltonian/rows/host_row_builder.hpp"
#include "ci/oracle/element.hpp"
#include "sparse/formats/csr.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/ci/systems.hpp"

// Spaces in which most alpha strings have a list of their own: rows of an alpha string are found
// together, and compared with single elements.
namespace cisolve::ci {
namespace {

using test::kCanonical;
using test::kHost;

/// `count` different strings, ascending.
std::vector<String> drawn_strings(int orbitals, int electrons, std::size_t count,
                                  std::mt19937& random) {
  std::vector<String> strings;
  while (strings.size() < count) {
    String string;
    while (string.count() < electrons)
      string = string.with(static_cast<int>(random() % static_cast<unsigned>(orbitals)));
    strings.push_back(string);
    std::ranges::sort(strings);
    const auto repeats = std::ranges::unique(strings);
    strings.erase(repeats.begin(), repeats.end());
  }
  return strings;
}

/// One pair of strings in `one_in`, at random; the first alpha string has all beta strings, the
/// first beta string most alpha strings.
Space drawn(const Sector& sector, std::size_t strings, unsigned one_in) {
  std::mt19937 random(5);
  const auto alphas = drawn_strings(sector.orbitals, sector.alpha_electrons, strings, random);
  const auto betas = drawn_strings(sector.orbitals, sector.beta_electrons, strings, random);
  std::vector<Determinant> all;
  for (const String& a : alphas) {
    const bool has_first = random() % 7 != 0;
    for (const String& b : betas)
      if (a == alphas.front() || (has_first && b == betas.front()) || random() % one_in == 0)
        all.push_back({a, b});
  }
  return list_space(sector, all, kHost);
}

void expect_elements(const Space& space, const Integrals& integrals, const Partition& partition,
                     double threshold = 0, bool together = true) {
  const HamiltonianRows rows(space, integrals, partition, threshold);
  ASSERT_EQ(rows.finds_rows_together(), together);
  const sparse::Csr h = sparse::build_csr(rows, kHost);
  for (Index row = 0; row < space.dimension(); ++row) {
    const Determinant bra = space.determinant(partition.canonical(row));
    Index k = h.offsets[row];
    for (Index column = 0; column < space.dimension(); ++column) {
      const double expected =
          element(integrals, bra, space.determinant(partition.canonical(column)));
      const bool is_stored = k < h.offsets[row + 1] && h.columns[k] == column;
      ASSERT_EQ(is_stored, column == row || std::abs(expected) > threshold + 1e-14)
          << "row " << row << ", column " << column << ": " << expected;
      if (is_stored) {
        ASSERT_NEAR(h.values[k++], expected, 1e-13) << "row " << row << ", column " << column;
      }
    }
    ASSERT_EQ(k, h.offsets[row + 1]) << "columns of row " << row << " do not ascend";
  }
}

TEST(ScatteredLists, HaveTheElementsOfEachPair) {
  const Space space = drawn({9, 4, 3}, 80, 12);
  for (const bool by_spin : {false, true})
    expect_elements(space, test::random_integrals(9, by_spin, 3, {}), kCanonical);
}

TEST(ScatteredLists, OfIntegralsThatASymmetryForbids) {
  const Space space = drawn({9, 4, 4}, 100, 12);
  expect_elements(space, test::random_integrals(9, true, 4, {1, 2, 3, 4, 1, 2, 3, 4, 1}),
                  kCanonical);
}

TEST(ScatteredLists, WithoutWhatIsBelowAThreshold) {
  const Space space = drawn({9, 4, 3}, 80, 12);
  expect_elements(space, test::random_integrals(9, true, 6, {}), kCanonical, 0.1);
}

TEST(ScatteredLists, WithAReferenceRegionSpreadOverManyStrings) {
  const Space space = drawn({9, 3, 4}, 80, 12);
  const Integrals integrals = test::random_integrals(9, false, 7, {});
  expect_elements(space, integrals,
                  Partition::where(space, [](Index row) { return row % 3 == 1; }));
}

TEST(ScatteredLists, OfDistantStringsAndOfMoreRowsThanAreFoundAtOnce) {
  const Space space = drawn({16, 6, 6}, 270, 20);
  expect_elements(space, test::random_integrals(16, true, 8, {}), kCanonical);
}

TEST(ScatteredLists, OfMoreOrbitalsThanAWordHas) {
  const Space space = drawn({70, 2, 2}, 250, 60);
  expect_elements(space, test::random_integrals(70, false, 9, {}), kCanonical);
}

TEST(ScatteredLists, ChosenRowsEqualThoseOfTheWholeMatrix) {
  const Space space = drawn({9, 4, 3}, 80, 12);
  const HamiltonianRows rows(space, test::random_integrals(9, true, 3, {}), kCanonical);
  const sparse::Csr all = sparse::build_csr(rows, kHost);
  const std::vector<base::Column> picked{
      0, 1, 5, 79, 80, 84, 300, static_cast<base::Column>(space.dimension() - 1)};
  const sparse::Csr some = sparse::build_csr(ChosenRows(rows, picked), kHost);
  for (std::size_t i = 0; i < picked.size(); ++i) {
    const auto row_of = [](const sparse::Csr& h, Index row, auto& array) {
      return array.span().subspan(h.offsets[row], h.offsets[row + 1] - h.offsets[row]);
    };
    const auto row = static_cast<Index>(i);
    EXPECT_TRUE(
        std::ranges::equal(row_of(some, row, some.columns), row_of(all, picked[i], all.columns)));
    EXPECT_TRUE(
        std::ranges::equal(row_of(some, row, some.values), row_of(all, picked[i], all.values)));
  }
}

/// A sink that runs out of memory.
struct FailingSink {
  void same_spin(base::Column /*i*/, Index /*column*/, double /*value*/) { throw std::bad_alloc(); }
  void opposite_spin(base::Column /*i*/, Index /*column*/, double /*value*/) {}
  void begin(base::Column /*alpha*/) {}
  void end() {}
};

TEST(ScatteredLists, AFailedWalkDoesNotAffectTheNext) {
  const Space space = drawn({9, 4, 3}, 80, 12);
  const Integrals integrals = test::random_integrals(9, true, 3, {});
  const HamiltonianRows rows(space, integrals, kCanonical);
  const sparse::Csr before = sparse::build_csr(rows, test::kSerial);
  const std::vector<StringNumber> first{0};
  FailingSink sink;
  const Index last = std::ssize(space.strings(Spin::alpha)) - 1;
  EXPECT_THROW(AlphaBatchRows(rows).walk(last, first, sink), std::bad_alloc);
  const sparse::Csr after = sparse::build_csr(rows, test::kSerial);
  EXPECT_TRUE(std::ranges::equal(before.columns.span(), after.columns.span()));
  EXPECT_TRUE(std::ranges::equal(before.values.span(), after.values.span()));
}

TEST(ScatteredLists, AreFoundOneByOneIfStringsHaveFewConnections) {
  const Space space = drawn({16, 8, 7}, 300, 200);
  ASSERT_GT(space.lists(), HostRowBuilder::kMostCachedLists);
  expect_elements(space, test::random_integrals(16, true, 8, {}), kCanonical, 0, false);
}

TEST(ScatteredLists, AreNotUsedForProductSpaces) {
  const Space space = full_ci({8, 4, 4}, kHost);
  EXPECT_FALSE(HamiltonianRows(space, test::random_integrals(8, false, 3, {}), kCanonical)
                   .finds_rows_together());
}

}  // namespace
}  // namespace cisolve::ci

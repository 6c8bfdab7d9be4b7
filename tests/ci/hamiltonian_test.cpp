#include "ci/hamiltonian/rows/hamiltonian.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/multivector.hpp"
#include "base/random.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/hamiltonian/rows/canonical_operator.hpp"
#include "ci/oracle/oracle_operator.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/stored/matrix.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/ci/systems.hpp"
#include "tests/support/slater_condon_oracle.hpp"
#include "tests/support/vectors.hpp"

namespace cisolve::ci {
namespace {

using test::kHost;

using test::kCanonical;

test::Occupations occupations(const Space& space, Index row) {
  const Determinant determinant = space.determinant(row);
  test::Occupations state(2 * static_cast<std::size_t>(space.orbitals()), 0);
  determinant.alpha.for_each([&](int p) { state[p] = 1; });
  determinant.beta.for_each([&](int p) { state[space.orbitals() + p] = 1; });
  return state;
}

std::vector<int> all_orbitals(const Integrals& integrals) {
  return String::below(integrals.orbitals()).orbitals();
}

/// Compares every stored element with the oracle, and every element that is not stored.
void expect_oracle(const Space& space, const Integrals& integrals, const Partition& partition,
                   const std::vector<int>& orbitals) {
  const HamiltonianRows rows(space, integrals, partition);
  const sparse::Csr h = sparse::build_csr(rows, kHost);
  for (Index row = 0; row < space.dimension(); ++row) {
    const auto exact =
        test::apply_hamiltonian(integrals, orbitals, occupations(space, partition.canonical(row)));
    Index k = h.offsets[row];
    for (Index column = 0; column < space.dimension(); ++column) {
      const bool is_stored = k < h.offsets[row + 1] && h.columns[k] == column;
      const double value = is_stored ? h.values[k++] : 0;
      const auto found = exact.find(occupations(space, partition.canonical(column)));
      const double expected = found == exact.end() ? 0 : found->second;
      ASSERT_NEAR(value, expected, 1e-13) << "row " << row << ", column " << column;
      ASSERT_TRUE(!is_stored || column == row || value != 0);
    }
    ASSERT_EQ(k, h.offsets[row + 1]) << "columns of row " << row << " do not ascend";
  }
}

class EverySystem : public test::SystemTest {};

TEST_P(EverySystem, FullCiIsEqualToTheOracle) {
  const Integrals integrals = this->integrals();
  expect_oracle(full_ci(sector(), kHost), integrals, Partition(kHost), all_orbitals(integrals));
}

TEST_P(EverySystem, DoublesHaveCommonMagnitudesAndNothingElse) {
  const Integrals integrals = this->integrals();
  const Space space = full_ci(sector(), kHost);
  const HamiltonianRows rows(space, integrals, kCanonical);
  std::set<double> expected;
  const sparse::Csr h = sparse::build_csr(rows, kHost);
  for (Index row = 0; row < space.dimension(); ++row)
    for (Index k = h.offsets[row]; k < h.offsets[row + 1]; ++k)
      if (excitation_level(space.determinant(row), space.determinant(h.columns[k])) == 2)
        expected.insert(std::abs(h.values[k]));
  const auto found = rows.common_magnitudes(1000);
  // Includes integrals that no pair of determinants of the space has.
  EXPECT_TRUE(std::ranges::includes(found, expected));
  EXPECT_TRUE(std::ranges::adjacent_find(found) == found.end());
  EXPECT_TRUE(rows.common_magnitudes(std::ssize(found) - 1).empty());
}

TEST_P(EverySystem, TruncatedSpacesAreEqualToTheOracle) {
  const Integrals integrals = this->integrals();
  const Determinant lowest = aufbau(sector().alpha_electrons, sector().beta_electrons);
  const std::vector<Determinant> references = {lowest};
  for (const std::vector<int>& levels :
       {std::vector{0, 1}, std::vector{0, 2}, std::vector{0, 1, 2, 3}}) {
    Sector any = sector();
    any.irrep.reset();
    const Space space = excited_space(any, references, levels, kHost);
    expect_oracle(space, integrals, Partition::of(space, references), all_orbitals(integrals));
  }
}

TEST_P(EverySystem, ElementsAreSymmetricToTheLastBit) {
  const Integrals integrals = this->integrals();
  const Space space = full_ci(sector(), kHost);
  const HamiltonianRows rows(space, integrals, kCanonical);
  const sparse::Csr h = sparse::build_csr(rows, kHost);
  std::map<std::pair<Index, Index>, double> elements;
  for (Index i = 0; i < space.dimension(); ++i)
    for (Index k = h.offsets[i]; k < h.offsets[i + 1]; ++k)
      elements[{i, h.columns[k]}] = h.values[k];
  for (const auto& [place, value] : elements)
    ASSERT_EQ(value, elements.at({place.second, place.first}));
}

INSTANTIATE_TEST_SUITE_P(Hamiltonian, EverySystem, ::testing::ValuesIn(test::systems()),
                         test::name_of_system);

TEST(Hamiltonian, RestrictedActiveAndProductSpacesAreEqualToTheOracle) {
  const Sector sector{6, 3, 2};
  const Integrals integrals = test::random_integrals(6, true, 3, {});
  const Space ras = restricted_active_space(sector, {{0, 1}, {4, 5}, 1, 2}, kHost);
  EXPECT_LT(ras.dimension(), full_ci(sector, kHost).dimension());
  expect_oracle(ras, integrals, Partition(kHost), all_orbitals(integrals));
  const std::vector<String> alphas = {String::of({1, 2, 5}), String::of({0, 1, 2})};
  const std::vector<String> betas = {String::of({0, 3}), String::of({0, 1}), String::of({4, 5})};
  expect_oracle(product_space(sector, alphas, betas, kHost), integrals, Partition(kHost),
                all_orbitals(integrals));
}

TEST(Hamiltonian, ListsAreEqualToTheOracle) {
  const Sector sector{6, 3, 3};
  const Integrals integrals = test::random_integrals(6, false, 5, {});
  const Space whole = full_ci(sector, kHost);
  std::vector<Determinant> picked;
  for (Index row = whole.dimension() - 1; row >= 0; --row)
    if (base::mix(static_cast<std::uint64_t>(row)) % 4 == 0)
      picked.push_back(whole.determinant(row));
  const Space space = list_space(sector, picked, kHost);
  EXPECT_EQ(space.dimension(), std::ssize(picked));
  const HamiltonianDiagonal diagonal(space, integrals);
  expect_oracle(space, integrals, Partition::of_lowest(space, diagonal.all().span(), 9),
                all_orbitals(integrals));
}

TEST(Hamiltonian, TwoReferencesAreEqualToTheOracle) {
  const Sector sector{6, 2, 2};
  const Integrals integrals = test::random_integrals(6, false, 7, {});
  const std::vector<Determinant> references = {parse_determinant("220000", 6),
                                               parse_determinant("2ud", 6)};
  const Space space = excited_space(sector, references, levels_up_to(1), kHost);
  const Partition partition = Partition::of(space, references);
  EXPECT_EQ(partition.reference(), 2);
  expect_oracle(space, integrals, partition, all_orbitals(integrals));
}

TEST(Hamiltonian, IsTheSameInCanonicalOrderWhateverThePartition) {
  const Sector sector{6, 3, 2};
  const Integrals integrals = test::random_integrals(6, false, 15, {});
  const Space space = full_ci(sector, kHost);
  const Partition partition = Partition::of_lowest(
      space, HamiltonianDiagonal(space, integrals).all().span(), space.dimension() / 3);
  const auto plain =
      sparse::build_matrix(HamiltonianRows(space, integrals, kCanonical), {.format = "csr"}, kHost);
  const auto divided =
      sparse::build_matrix(HamiltonianRows(space, integrals, partition), {.format = "csr"}, kHost);
  EXPECT_EQ(divided->shape().reference_columns, space.dimension() / 3);
  const CanonicalOperator back(*divided, partition, kHost);
  const base::MultiVector x = test::random_vectors(space.dimension(), 3, 1);
  base::MultiVector y(kHost, space.dimension(), 3);
  base::MultiVector z(kHost, space.dimension(), 3);
  plain->apply(x.block(), y.block());
  back.apply(x.block(), z.block());
  for (int j = 0; j < 3; ++j)
    for (Index i = 0; i < x.rows(); ++i) ASSERT_NEAR(z(i, j), y(i, j), 1e-12);
  ASSERT_TRUE(plain->diagonal(y.block(0, 1)));
  ASSERT_TRUE(back.diagonal(z.block(0, 1)));
  for (Index i = 0; i < x.rows(); ++i) ASSERT_EQ(z(i, 0), y(i, 0));
}

// A solver takes all remaining memory for its vectors before the first product.
TEST(Hamiltonian, InCanonicalOrderHoldsItsWorkspace) {
  const base::Backend little = base::Backend::openmp(1, {Index{4} << 20, 0});
  const Integrals integrals = test::random_integrals(6, false, 15, {});
  const Space space = full_ci({6, 3, 2}, little);
  const Partition partition = Partition::of_lowest(
      space, HamiltonianDiagonal(space, integrals).all().span(), space.dimension() / 3);
  const auto divided =
      sparse::build_matrix(HamiltonianRows(space, integrals, partition), {.format = "csr"}, little);
  const CanonicalOperator canonical(*divided, partition, little);
  base::MultiVector x(little, space.dimension(), 1);
  base::MultiVector y(little, space.dimension(), 1);
  const base::Reservation others(little.memory(), little.memory().left(), "what others take");
  EXPECT_NO_THROW(canonical.apply(std::as_const(x).block(), y.block()));
}

TEST(Hamiltonian, ThresholdLeavesOutSmallElementsButNeverTheDiagonal) {
  const Sector sector{5, 2, 2};
  Integrals integrals = test::random_integrals(5, false, 13, {});
  const Space space = full_ci(sector, kHost);
  const sparse::Csr all = sparse::build_csr(HamiltonianRows(space, integrals, kCanonical), kHost);
  const double threshold = 0.5;
  const sparse::Csr some =
      sparse::build_csr(HamiltonianRows(space, integrals, kCanonical, threshold), kHost);
  Index next = 0;
  for (Index i = 0; i < space.dimension(); ++i)
    for (Index k = all.offsets[i]; k < all.offsets[i + 1]; ++k)
      if (all.columns[k] == i || std::abs(all.values[k]) > threshold) {
        ASSERT_EQ(some.columns[next], all.columns[k]);
        ASSERT_EQ(some.values[next++], all.values[k]);
      }
  EXPECT_EQ(next, some.nonzeros());
  EXPECT_LT(next, all.nonzeros());
  EXPECT_THROW(HamiltonianRows(space, integrals, kCanonical, -1), base::Error);
}

TEST(Hamiltonian, AThresholdIsANumberFromZero) {
  const Integrals integrals = test::random_integrals(4, false, 5, {});
  const Space space = full_ci({4, 2, 2}, kHost);
  for (const double threshold : {-1e-300, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(HamiltonianRows(space, integrals, kCanonical, threshold), base::Error);
  EXPECT_NO_THROW(HamiltonianRows(space, integrals, kCanonical, 0));
}

TEST(Hamiltonian, AZeroHamiltonianKeepsItsDiagonal) {
  const Integrals nothing(4, false, kHost);
  const Space space = full_ci({4, 2, 2}, kHost);
  const sparse::Csr h = sparse::build_csr(HamiltonianRows(space, nothing, kCanonical), kHost);
  EXPECT_EQ(h.nonzeros(), 36);
}

TEST(Hamiltonian, IntegralsOfAnotherSizeAreRefused) {
  const Space space = full_ci({4, 2, 2}, kHost);
  EXPECT_THROW(HamiltonianRows(space, Integrals(5, false, kHost), kCanonical), base::Error);
}

/// Orbitals `offset` and on of 132 have the integrals of orbitals 0 to 4 of the small system; the
/// others are empty.
class HamiltonianWordBorders : public ::testing::TestWithParam<int> {};

TEST_P(HamiltonianWordBorders, HaveTheElementsOfTheSystemWithinOneWord) {
  const int offset = GetParam();
  const int size = 5;
  const Integrals low = test::random_integrals(size, false, 17, {});
  const Integrals high = test::random_integrals(size, false, 17, {}, 132, offset);
  const Space small = full_ci({size, 3, 2}, kHost);
  std::vector<Determinant> shifted;
  for (Index row = 0; row < small.dimension(); ++row) {
    Determinant moved;
    small.determinant(row).alpha.for_each(
        [&](int p) { moved.alpha = moved.alpha.with(p + offset); });
    small.determinant(row).beta.for_each([&](int p) { moved.beta = moved.beta.with(p + offset); });
    shifted.push_back(moved);
  }
  const Space large = list_space({132, 3, 2}, shifted, kHost);
  const sparse::Csr expected = sparse::build_csr(HamiltonianRows(small, low, kCanonical), kHost);
  const sparse::Csr found = sparse::build_csr(HamiltonianRows(large, high, kCanonical), kHost);
  ASSERT_EQ(found.nonzeros(), expected.nonzeros());
  for (Index k = 0; k < found.nonzeros(); ++k) {
    ASSERT_EQ(found.columns[k], expected.columns[k]);
    ASSERT_EQ(found.values[k], expected.values[k]);
  }
  for (Index row = 0; row < large.dimension(); ++row)
    ASSERT_EQ(large.determinant(row), shifted[row]);

  const OracleOperator direct(large, high);
  base::MultiVector x(kHost, large.dimension(), 1);
  base::MultiVector y(kHost, large.dimension(), 1);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) = 1.0 / static_cast<double>(i + 1);
  direct.apply(x.block(), y.block());
  for (Index i = 0; i < large.dimension(); ++i) {
    double sum = 0;
    for (Index k = found.offsets[i]; k < found.offsets[i + 1]; ++k)
      sum += found.values[k] * x(found.columns[k], 0);
    ASSERT_NEAR(y(i, 0), sum, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Hamiltonian, HamiltonianWordBorders,
                         ::testing::Values(59, 61, 62, 63, 64, 125, 127));

}  // namespace
}  // namespace cisolve::ci

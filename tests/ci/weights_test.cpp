#include "ci/properties/weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "base/multivector.hpp"
#include "base/random.hpp"
#include "ci/fock/integrals/random_integrals.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/fock/strings/window.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/state_oracle.hpp"

namespace cisolve::ci {
namespace {

using test::kHost;

TEST(Weights, DominantRowsComeLargestFirstAndTheEarlierOfEqualOnes) {
  const std::vector<double> x = {0.1, -0.7, 0, 0.7, 0.2, 0.1, 0, 0, -0.2};
  EXPECT_EQ(dominant_rows(x, 4, kHost), (std::vector<Index>{1, 3, 4, 8}));
  EXPECT_EQ(dominant_rows(x, 0, kHost), std::vector<Index>{});
  EXPECT_EQ(std::ssize(dominant_rows(x, 100, kHost)), 9);
}

TEST(Weights, DominantRowsEqualThoseOfASortOnAnyNumberOfThreads) {
  constexpr Index kRows = 20'000;
  std::vector<double> x(kRows);
  base::RandomStream random(7);
  for (double& value : x) value = static_cast<double>(random.below(400)) - 200;  // many are equal
  std::vector<Index> sorted(kRows);
  std::iota(sorted.begin(), sorted.end(), Index{0});
  std::ranges::stable_sort(sorted, std::ranges::greater(), [&](Index i) { return std::abs(x[i]); });
  for (const int threads : {1, 3})
    for (const Index count : {1, 30, 200, 3000}) {
      const std::vector<Index> found = dominant_rows(x, count, base::Backend::openmp(threads));
      ASSERT_EQ(std::ssize(found), count);
      EXPECT_TRUE(std::ranges::equal(found, std::span(sorted).first(count))) << count;
    }
}

TEST(Weights, OfIrrepsAndOfReferencesAreSums) {
  const std::vector<int> labels = {0, 1, 5};
  const Space space = full_ci({3, 1, 1}, kHost);
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::array<double, 8> expected{};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) expected[labels[a] ^ labels[b]] += std::pow(x[3 * a + b], 2);
  EXPECT_EQ(irrep_weights(space, labels, x.data()), expected);
  const Determinant first = parse_determinant("2", 3);
  const Determinant last = parse_determinant("002", 3);
  const Determinant elsewhere = parse_determinant("uu0", 3);
  EXPECT_EQ(weight_of(space, std::vector{first, last, elsewhere, last}, x.data()), 82);
  const IrrepLabels irreps(space, labels);
  base::MultiVector in(kHost, 9, 1);
  base::MultiVector out(kHost, 9, 1);
  for (Index i = 0; i < 9; ++i) in(i, 0) = x[i];
  irreps.apply(in.block(), out.block());
  for (int i = 0; i < 9; ++i) EXPECT_EQ(out(i, 0), (labels[i / 3] ^ labels[i % 3]) * x[i]);
}

TEST(WholeDeterminant, CarriesTheSignOfFrozenOrbitalsAmongActiveOnes) {
  const Integrals integrals =
      random_integrals({.orbitals = 6, .spin_dependent = true, .coupling = 0.6, .seed = 4}, kHost);
  const Window window = make_window(6, std::vector{2, 5}, std::vector{1, 3, 4, 6});
  const Integrals folded = fold_frozen_core(integrals, window, kHost);
  const Space space = full_ci({4, 2, 1}, kHost);
  const auto all = String::below(6).orbitals();
  const auto inner = String::below(4).orbitals();
  bool has_odd = false;
  for (Index i = 0; i < space.dimension(); ++i) {
    const auto [here, sign] = whole_determinant(window, space.determinant(i));
    EXPECT_EQ(determinant_in(window, here), space.determinant(i));
    has_odd |= sign < 0;
    auto row = test::apply_hamiltonian(integrals, all, test::occupations(here, 6));
    auto folded_row =
        test::apply_hamiltonian(folded, inner, test::occupations(space.determinant(i), 4));
    for (Index j = 0; j < space.dimension(); ++j) {
      const auto other = whole_determinant(window, space.determinant(j));
      ASSERT_NEAR(row[test::occupations(other.determinant, 6)] * sign * other.sign,
                  folded_row[test::occupations(space.determinant(j), 4)], 1e-12);
    }
  }
  EXPECT_TRUE(has_odd);
}

}  // namespace
}  // namespace cisolve::ci

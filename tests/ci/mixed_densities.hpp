#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "ci/properties/mixed_density.hpp"
#include "tests/support/vectors.hpp"

// Opposite-spin densities of other methods, compared with MixedDensity.
namespace cisolve::test {

template <class Density>
base::Array<double> mixed_of_two(const ci::Space& space, const base::MultiVector& x) {
  const ci::Index pairs = ci::Index{space.orbitals()} * space.orbitals();
  base::Array<double> values(space.host(), pairs * pairs, "a density");
  std::ranges::fill(values.span(), 0.0);
  Density(space).add(x.block().column(0), x.block().column(1), values.span());
  return values;
}

template <class Density>
void expect_what_moves_give(const ci::Space& space) {
  const base::MultiVector x = random_vectors(space.dimension(), 2, 3);
  const auto found = mixed_of_two<Density>(space, x);
  const auto expected = mixed_of_two<ci::MixedDensity>(space, x);
  const double norm = std::sqrt(static_cast<double>(x.rows()));
  for (ci::Index i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], 1e-12 * norm) << i;
}

/// `serial` and `parallel`: one space on hosts with one thread and with several.
template <class Density>
void expect_same_bits(const ci::Space& serial, const ci::Space& parallel) {
  const base::MultiVector x = random_vectors(serial.dimension(), 2, 3);
  const auto found = mixed_of_two<Density>(parallel, x);
  const auto expected = mixed_of_two<Density>(serial, x);
  for (ci::Index i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]) << i;
}

}  // namespace cisolve::test

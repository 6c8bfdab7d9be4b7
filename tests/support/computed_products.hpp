#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/operator.hpp"
#include "ci/fock/models/electron_models.hpp"
#include "sparse/formats/csr.hpp"
#include "tests/support/hamiltonians.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/vectors.hpp"

// Computed products of Hamiltonians of every kind, compared with stored elements.
namespace cisolve::test {

using ci::Determinant;
using ci::Hubbard;
using ci::Index;
using ci::Sector;
using ci::Space;

/// Alpha strings whose electrons move together with beta strings have a short list, others a long
/// one.
inline NamedHamiltonian uneven_lists() {
  const Space full = ci::full_ci({10, 2, 4}, base::Backend::openmp());
  std::vector<Determinant> list;
  const auto members = full.dimension() / 45;
  for (Index row = 0; row < full.dimension(); ++row) {
    const Index alpha = row / members;
    const Index beta = row % members;
    const bool is_long = alpha == 0 || alpha == 44;  // orbitals 1, 2 and 9, 10: a double apart
    const bool is_short = alpha >= 10 && alpha < 16;
    if ((is_long && beta < 100) || (is_short && beta < 40)) list.push_back(full.determinant(row));
  }
  return named("uneven lists", random_integrals(10, false, 5, {}),
               ci::list_space({10, 2, 4}, list, base::Backend::openmp()));
}

/// Each alpha string has its own half of the beta strings.
inline Space own_lists(const Sector& sector, int shift) {
  const Space full = ci::full_ci(sector, base::Backend::openmp());
  std::vector<Determinant> list;
  std::uint64_t random = 1;
  for (Index row = 0; row < full.dimension(); ++row) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    if (random >> shift == 0) list.push_back(full.determinant(row));
  }
  return ci::list_space(sector, list, base::Backend::openmp());
}

inline std::vector<NamedHamiltonian> all_kinds() {
  std::vector<NamedHamiltonian> all = hamiltonians();
  const auto add_lattice = [&](const char* name, const Hubbard& model, const Sector& sector) {
    all.push_back(named(name, ci::hubbard(model, base::Backend::openmp()),
                        ci::full_ci(sector, base::Backend::openmp())));
  };
  add_lattice("Hubbard ring", {{7, 1, true}, 1, 4}, {7, 3, 4});
  add_lattice("extended Hubbard", {{3, 2}, 1, 4, 0.5}, {6, 3, 3});
  all.push_back(uneven_lists());
  all.push_back(named("own lists", random_integrals(9, true, 5, {}), own_lists({9, 3, 4}, 63)));
  all.push_back(named("own lists, large elements only", random_integrals(8, false, 5, {}),
                      own_lists({8, 4, 3}, 63), 0.4));
  if (kSanitized)  // the small ones take the same paths
    std::erase_if(all, [](const auto& each) { return each.space->dimension() > 2000; });
  return all;
}

/// Product by stored elements, and the sum of |h||x| of each row.
struct ExpectedProduct {
  double value = 0;
  double magnitude = 0;
};
inline ExpectedProduct expected_product(const sparse::Csr& h, const base::MultiVector& x, Index row,
                                        int j) {
  ExpectedProduct sum;
  for (Index k = h.offsets[row]; k < h.offsets[row + 1]; ++k) {
    const double term = h.values[k] * x(h.columns[k], j);
    sum.value += term;
    sum.magnitude += std::abs(term);
  }
  return sum;
}

/// Expected products for every row, one vector after the other.
inline std::vector<ExpectedProduct> expected_products(const sparse::Csr& h,
                                                      const base::MultiVector& x) {
  std::vector<ExpectedProduct> sums;
  for (int j = 0; j < x.columns(); ++j)
    for (Index row = 0; row < x.rows(); ++row) sums.push_back(expected_product(h, x, row, j));
  return sums;
}

/// Expects that y is the product of x by stored elements.
inline void expect_products(const sparse::Csr& h, const base::MultiVector& x,
                            const base::MultiVector& y) {
  for (Index row = 0; row < x.rows(); ++row)
    for (int j = 0; j < x.columns(); ++j) {
      const ExpectedProduct sum = expected_product(h, x, row, j);
      ASSERT_NEAR(y(row, j), sum.value, 1e-13 * sum.magnitude) << row << ", vector " << j;
    }
}

/// A product on the backend, between guard columns that must not change.
inline base::MultiVector framed_product(const base::LinearOperator& h, const base::MultiVector& x,
                                        const base::Backend& backend) {
  constexpr double kUntouched = 7;
  base::MultiVector framed(base::Backend::reference(), x.rows(), x.columns() + 2);
  for (int j = 0; j < framed.columns(); ++j)
    for (Index i = 0; i < x.rows(); ++i) framed(i, j) = kUntouched;
  base::MultiVector on_backend = framed.to(backend);
  h.apply(x.to(backend).block(), on_backend.block().slice(1, x.columns()));
  const base::MultiVector all = on_backend.to(base::Backend::reference());
  base::MultiVector y(base::Backend::reference(), x.rows(), x.columns());
  for (Index i = 0; i < x.rows(); ++i) {
    EXPECT_EQ(all(i, 0), kUntouched);
    EXPECT_EQ(all(i, x.columns() + 1), kUntouched);
    for (int j = 0; j < x.columns(); ++j) y(i, j) = all(i, j + 1);
  }
  return y;
}

}  // namespace cisolve::test

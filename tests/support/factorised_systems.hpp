#pragma once

#include <algorithm>

#include "ci/hamiltonian/factorised/factorised.hpp"
#include "tests/support/computed_products.hpp"

// Hamiltonians with a factorised product, and vectors that are even or odd.
namespace cisolve::test {

/// Every third string of full CI combined with every second one.
inline NamedHamiltonian product_of_lists() {
  const Space full = ci::full_ci({9, 4, 3}, base::Backend::openmp());
  const Index betas = std::ssize(full.strings(Spin::beta));
  std::vector<Determinant> list;
  for (Index row = 0; row < full.dimension(); ++row)
    if (row / betas % 3 == 0 && row % betas % 2 == 1) list.push_back(full.determinant(row));
  return named("a product of lists", random_integrals(9, false, 5, {}),
               ci::list_space({9, 4, 3}, list, base::Backend::openmp()));
}

/// More pairs of orbitals than g may have rows, and more sources.
inline NamedHamiltonian many_pairs() {
  return named("many pairs", random_integrals(50, false, 5, {}),
               ci::full_ci({50, 1, 1}, base::Backend::openmp()));
}

/// Orbitals 1 and 2 exchange electrons with no other pair, but interact with the occupation of
/// others.
inline NamedHamiltonian lonely_pair() {
  ci::Integrals integrals = random_integrals(7, false, 5, {});
  for (int r = 0; r < 7; ++r)
    for (int s = 0; s < r; ++s) integrals.set_two(Spin::alpha, 1, 0, Spin::alpha, r, s, 0);
  return named("a lonely pair", std::move(integrals),
               ci::full_ci({7, 3, 4}, base::Backend::openmp()));
}

inline std::vector<NamedHamiltonian> factorised_kinds() {
  std::vector<NamedHamiltonian> all;
  for (NamedHamiltonian& named : hamiltonians())
    if (ci::may_factorise(named.rows())) all.push_back(std::move(named));
  EXPECT_EQ(all.size(), 13);
  const std::vector<int> irreps = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1};
  all.push_back(named("eight irreps", random_integrals(10, false, 5, irreps),
                      ci::full_ci({10, 4, 4, irreps, 3}, base::Backend::openmp())));
  all.push_back(named("spin dependent, one irrep", random_integrals(10, true, 5, irreps),
                      ci::full_ci({10, 4, 3, irreps, 0}, base::Backend::openmp())));
  all.push_back(product_of_lists());
  all.push_back(named("long rows of even length", random_integrals(10, false, 5, {}),
                      ci::full_ci({10, 2, 4}, base::Backend::openmp())));
  all.push_back(lonely_pair());
  const auto add_lattice = [&](const char* name, const Hubbard& model, const Sector& sector) {
    all.push_back(named(name, ci::hubbard(model, base::Backend::openmp()),
                        ci::full_ci(sector, base::Backend::openmp())));
  };
  add_lattice("Hubbard ring", {{7, 1, true}, 1, 4}, {7, 3, 4});
  add_lattice("sparse string matrices", {{5, 2, true}, 1, 4}, {10, 5, 6});
  add_lattice("extended Hubbard", {{3, 2}, 1, 4, 0.5}, {6, 3, 3});
  return all;
}

/// The component of vectors that is even or odd under exchange of alpha and beta electrons, and the
/// rounding error left of the other one.
inline base::MultiVector part_of(const Space& space, const base::MultiVector& x, double sign,
                                 double leak) {
  base::MultiVector part(base::Backend::reference(), x.rows(), x.columns());
  for (Index row = 0; row < x.rows(); ++row) {
    const Determinant determinant = space.determinant(row);
    const Index swapped = space.row_of({determinant.beta, determinant.alpha}).value();
    for (int j = 0; j < x.columns(); ++j)
      part(row, j) = (x(row, j) + sign * x(swapped, j)) + leak * (x(row, j) - sign * x(swapped, j));
  }
  return part;
}

/// Systems invariant under exchange of alpha and beta electrons.
inline std::vector<NamedHamiltonian> flipped_kinds() {
  const std::vector<int> irreps = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1};
  std::vector<NamedHamiltonian> all;
  const auto add = [&](const char* name, int orbitals, Space space,
                       const std::vector<int>& of_orbitals = {}) {
    all.push_back(named(name, random_integrals(orbitals, false, 5, of_orbitals), std::move(space)));
  };
  add("full CI", 7, ci::full_ci({7, 3, 3}, base::Backend::openmp()));
  add("more strings than a chunk", 9, ci::full_ci({9, 4, 4}, base::Backend::openmp()));
  add("the totally symmetric irrep", 10,
      ci::full_ci({10, 4, 4, irreps, 0}, base::Backend::openmp()), irreps);
  add("another irrep", 10, ci::full_ci({10, 4, 4, irreps, 3}, base::Backend::openmp()), irreps);
  const Space full = ci::full_ci({9, 3, 3}, base::Backend::openmp());
  const Index betas = std::ssize(full.strings(Spin::beta));
  std::vector<Determinant> square;
  for (Index row = 0; row < full.dimension(); ++row)
    if (row / betas % 3 != 0 && row % betas % 3 != 0) square.push_back(full.determinant(row));
  add("the square of a list", 9, ci::list_space({9, 3, 3}, square, base::Backend::openmp()));
  add("one electron of each spin", 9, ci::full_ci({9, 1, 1}, base::Backend::openmp()));
  return all;
}

}  // namespace cisolve::test

#include "ci/oracle/element.hpp"

#include <gtest/gtest.h>

#include "ci/fock/spaces/spaces.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "tests/ci/hosts.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/slater_condon_oracle.hpp"

namespace cisolve::test {
namespace {

using base::Index;

Occupations occupations_of(const ci::Determinant& determinant, int orbitals) {
  Occupations state(2 * static_cast<std::size_t>(orbitals), 0);
  for (int p = 0; p < orbitals; ++p) {
    state[p] = determinant.alpha.has(p) ? 1 : 0;
    state[orbitals + p] = determinant.beta.has(p) ? 1 : 0;
  }
  return state;
}

TEST(Element, OfEachPairAgreesWithTheOperators) {
  constexpr int orbitals = 5;
  const std::vector<int> all{0, 1, 2, 3, 4};
  for (const bool spin_dependent : {false, true}) {
    const auto integrals = random_integrals(orbitals, spin_dependent, 7, {});
    const ci::Space space =
        ci::full_ci({.orbitals = orbitals, .alpha_electrons = 3, .beta_electrons = 2}, kHost);
    for (Index j = 0; j < space.dimension(); ++j) {
      const auto ket = space.determinant(j);
      const auto image = apply_hamiltonian(integrals, all, occupations_of(ket, orbitals));
      for (Index i = 0; i < space.dimension(); ++i) {
        const auto bra = space.determinant(i);
        const auto found = image.find(occupations_of(bra, orbitals));
        EXPECT_NEAR(ci::element(integrals, bra, ket), found == image.end() ? 0 : found->second,
                    1e-12);
      }
    }
  }
}

TEST(Element, BeyondTheFirstWordAgreesWithTheRows) {
  constexpr int orbitals = 67;
  constexpr int offset = 61;  // six orbitals across a word boundary
  const auto integrals = random_integrals(orbitals - offset, false, 3, {}, orbitals, offset);
  std::vector<ci::Determinant> list;
  for (int p = offset; p < orbitals; ++p)
    for (int q = offset; q < p; ++q)
      list.push_back({ci::String::of({p, q}), ci::String::of({offset + (p + q) % 6})});
  const ci::Space space = ci::list_space(
      {.orbitals = orbitals, .alpha_electrons = 2, .beta_electrons = 1}, list, kHost);
  const ci::Partition canonical(kHost);
  const ci::HamiltonianRows rows(space, integrals, canonical);
  for (Index i = 0; i < space.dimension(); ++i) {
    std::vector<sparse::Column> length(1);
    rows.count(i, length);
    std::vector<sparse::Column> columns(length[0]);
    std::vector<double> values(length[0]);
    rows.fill(i, i + 1, columns, values);
    std::vector<double> row(space.dimension());
    for (std::size_t k = 0; k < columns.size(); ++k) row[columns[k]] = values[k];
    for (Index j = 0; j < space.dimension(); ++j)
      EXPECT_NEAR(ci::element(integrals, space.determinant(i), space.determinant(j)), row[j],
                  1e-12);
  }
}

}  // namespace
}  // namespace cisolve::test

#pragma once

#include "ci/fock/models/electron_models.hpp"
#include "tests/support/hamiltonians.hpp"

namespace cisolve::test {

/// Few determinants with many strings, each alpha string with others.
inline ci::Space scattered() {
  const base::Backend host = base::Backend::openmp();
  const ci::Space full = ci::full_ci({8, 3, 3}, host);
  std::vector<ci::Determinant> list;
  for (base::Index row = 0; row < full.dimension(); row += 17)
    list.push_back(full.determinant(row));
  return ci::list_space({8, 3, 3}, list, host);
}

/// Hamiltonians with mostly vanishing integrals of different patterns, and others with none.
inline std::vector<NamedHamiltonian> oracle_systems() {
  const base::Backend host = base::Backend::openmp();
  const std::vector<int> irreps = {0, 1, 2, 3, 0, 1, 3};
  std::vector<NamedHamiltonian> all;
  const auto add = [&](const char* name, ci::Integrals integrals, ci::Space space,
                       double threshold = 0) {
    all.push_back(named(name, std::move(integrals), std::move(space), threshold));
  };
  const auto dense = [](bool spin_dependent) {
    return random_integrals(7, spin_dependent, 31, {});
  };
  const auto symmetric = [&](bool spin_dependent) {
    return random_integrals(7, spin_dependent, 33, irreps);
  };
  const auto lattice = [&](double v) {
    return ci::hubbard({.shape = {6, 1, true}, .t = 0.5, .u = 2, .v = v}, host);
  };
  // A single exchange integral, which only pairs of electrons feel.
  ci::Integrals sparse(6, true, host);
  sparse.set_two(Spin::alpha, 0, 3, Spin::alpha, 1, 4, 0.7);
  sparse.set_two(Spin::beta, 2, 5, Spin::beta, 0, 1, -0.3);
  sparse.set_two(Spin::alpha, 1, 2, Spin::beta, 4, 3, 0.9);
  sparse.set_two(Spin::alpha, 5, 2, Spin::beta, 0, 0, 1.1);  // an excitation that the others allow
  sparse.set_two(Spin::alpha, 1, 1, Spin::beta, 2, 3, -0.6);
  sparse.set_two(Spin::alpha, 0, 2, Spin::alpha, 2, 1, 0.4);  // one by exchange alone
  add("a lattice", lattice(0), ci::full_ci({6, 3, 3}, host));
  add("a lattice with neighbours", lattice(0.25), ci::full_ci({6, 3, 2}, host));
  add("spins", ci::electrons_on(6, ci::on_bonds({6, 1}, 1, ci::TermKind::couple, 1), host),
      ci::full_ci({6, 3, 3}, host));
  add("a few integrals", std::move(sparse), ci::full_ci({6, 3, 3}, host));
  add("symmetric", symmetric(false), ci::full_ci({7, 3, 3}, host));
  add("symmetric, spin dependent", symmetric(true), ci::full_ci({7, 3, 2}, host));
  add("dense, spin dependent", dense(true), ci::full_ci({7, 2, 3}, host));
  add("large elements of both signs", dense(false), ci::full_ci({7, 3, 2}, host), 0.4);
  add("large elements, spin dependent", dense(true), excited({7, 3, 3}, 3), 0.4);
  add("CISD", symmetric(false), excited({7, 3, 3}, 2));
  add("CISDT", symmetric(true), excited({7, 3, 3}, 3));
  add("a list", random_integrals(8, true, 35, {}), listed(8, 0));
  add("a scattered list", random_integrals(8, true, 37, {}), scattered());
  add("a list across orbital 64", random_integrals(8, false, 35, {0, 1, 2, 3, 0, 1, 3, 2}, 70, 60),
      listed(70, 60));
  const std::vector<ci::String> alphas = {ci::String::of({0, 1, 2}), ci::String::of({0, 2, 4}),
                                          ci::String::of({1, 2, 5}), ci::String::of({2, 4, 6})};
  const std::vector<ci::String> betas = {ci::String::of({0, 1}), ci::String::of({0, 3}),
                                         ci::String::of({3, 5}), ci::String::of({4, 5})};
  add("a product", dense(true), ci::product_space({7, 3, 2}, alphas, betas, host));
  add("a product, restricted", dense(false), ci::product_space({7, 3, 2}, alphas, betas, host));
  return all;
}

}  // namespace cisolve::test

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ci/fock/spaces/spaces.hpp"
#include "ci/hamiltonian/rows/hamiltonian.hpp"
#include "tests/support/ci_systems.hpp"

namespace cisolve::test {

/// A Hamiltonian in a space, with the objects it refers to.
struct NamedHamiltonian {
  std::string name;
  std::unique_ptr<ci::Integrals> integrals;
  std::unique_ptr<ci::Space> space;
  std::unique_ptr<ci::Partition> partition;
  double threshold = 0;

  ci::HamiltonianRows rows() const { return {*space, *integrals, *partition, threshold}; }
};

inline NamedHamiltonian named(std::string name, ci::Integrals integrals, ci::Space space,
                              double threshold = 0) {
  auto kept = std::make_unique<ci::Space>(std::move(space));
  auto canonical = std::make_unique<ci::Partition>(kept->host());
  return {std::move(name), std::make_unique<ci::Integrals>(std::move(integrals)), std::move(kept),
          std::move(canonical), threshold};
}

/// The Hamiltonian `plain` with the rows at most `level` excitations from the lowest determinant as
/// its reference.
inline NamedHamiltonian with_reference(NamedHamiltonian plain, int level) {
  const ci::Determinant lowest =
      ci::aufbau(plain.space->electrons(Spin::alpha), plain.space->electrons(Spin::beta));
  plain.name += ", with a reference";
  *plain.partition = ci::Partition::by_excitation(*plain.space, lowest, level);
  return plain;
}

inline ci::Space excited(const ci::Sector& sector, int level) {
  const std::vector<ci::Determinant> references = {
      ci::aufbau(sector.alpha_electrons, sector.beta_electrons)};
  return ci::excited_space(sector, references, ci::levels_up_to(level), base::Backend::openmp());
}

/// Every third determinant of full CI over orbitals `offset` to `offset` + 7.
inline ci::Space listed(int orbitals, int offset) {
  const base::Backend host = base::Backend::openmp();
  const ci::Space full = ci::full_ci({8, 3, 3}, host);
  const auto moved = [&](const ci::String& string) {
    ci::String result;
    string.for_each([&](int p) { result = result.with(p + offset); });
    return result;
  };
  std::vector<ci::Determinant> list;
  for (base::Index row = 0; row < full.dimension(); row += 3) {
    const ci::Determinant determinant = full.determinant(row);
    list.push_back({moved(determinant.alpha), moved(determinant.beta)});
  }
  return ci::list_space({orbitals, 3, 3}, list, host);
}

/// Hamiltonians of every kind of space, with rows from one element to some hundreds.
inline std::vector<NamedHamiltonian> hamiltonians() {
  const base::Backend host = base::Backend::openmp();
  const std::vector<int> irreps = {0, 1, 0, 2, 3, 1, 0};
  std::vector<NamedHamiltonian> all;
  const auto add = [&](const char* name, ci::Integrals integrals, ci::Space space,
                       double threshold = 0) {
    all.push_back(named(name, std::move(integrals), std::move(space), threshold));
  };
  const auto plain = [](int orbitals) { return random_integrals(orbitals, false, 5, {}); };
  const auto spin_dependent = [](int orbitals) { return random_integrals(orbitals, true, 5, {}); };
  add("one determinant", plain(3), ci::full_ci({3, 3, 3}, host));
  add("no electrons", plain(3), ci::full_ci({3, 0, 0}, host));
  add("one electron", plain(4), ci::full_ci({4, 1, 0}, host));
  add("full CI", plain(8), ci::full_ci({8, 4, 4}, host));
  add("full CI, open shell", plain(7), ci::full_ci({7, 4, 2}, host));
  add("full CI, spin dependent", spin_dependent(7), ci::full_ci({7, 3, 3}, host));
  add("one irrep", random_integrals(7, false, 5, irreps), ci::full_ci({7, 3, 3, irreps, 1}, host));
  add("all irreps", random_integrals(7, false, 5, irreps), ci::full_ci({7, 3, 2, irreps}, host));
  add("CISD", plain(11), excited({11, 3, 3}, 2));
  add("CISDT", plain(10), excited({10, 4, 3}, 3));
  add("CISDT, spin dependent", spin_dependent(9), excited({9, 3, 3}, 3));
  add("RAS", plain(8), ci::restricted_active_space({8, 4, 4}, {{0, 1}, {5, 6, 7}, 1, 2}, host));
  add("a list", plain(8), listed(8, 0));
  add("a list across orbital 64", random_integrals(8, true, 5, {}, 70, 60), listed(70, 60));
  add("a list across orbital 128", random_integrals(8, false, 5, {}, 133, 125), listed(133, 125));
  add("large elements only", plain(8), ci::full_ci({8, 4, 3}, host), 0.4);
  all.push_back(with_reference(named("full CI", plain(8), ci::full_ci({8, 4, 4}, host)), 1));
  all.push_back(with_reference(named("CISDT", plain(9), excited({9, 4, 4}, 3)), 2));
  all.push_back(with_reference(named("a list", plain(8), listed(8, 0)), 2));
  return all;
}

}  // namespace cisolve::test

#pragma once

#include <vector>

#include "base/backend.hpp"
#include "ci/fock/integrals/integrals.hpp"
#include "ci/fock/strings/string.hpp"

// Sets of strings with given occupations, ascending. Each set is counted first;
// ErrorKind::resources is thrown if it does not fit into the host's memory budget.
namespace cisolve::ci {

/// An orbital space with between `least` and `most` electrons.
struct Shell {
  std::vector<int> orbitals;
  int least = 0;
  int most = 0;
};

/// All strings with `electrons` electrons in disjoint shells.
std::vector<String> strings_in_shells(const std::vector<Shell>& shells, int electrons,
                                      const base::Backend& host);

/// All strings within `level` excitations of any reference.
std::vector<String> strings_near(const std::vector<String>& references, int orbitals, int level,
                                 const base::Backend& host);

/// Sorts and removes duplicates.
void sort_unique(std::vector<String>& strings);

}  // namespace cisolve::ci

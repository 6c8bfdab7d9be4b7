#pragma once

#include <vector>

#include "base/backend.hpp"
#include "ci/integrals/integrals.hpp"
#include "ci/strings/string.hpp"

// Sets of strings by what they occupy, ascending. Each set is counted first and refused if it
// would not fit into the host's memory.
namespace cisolve::ci {

/// At least `least` and at most `most` electrons in some of the orbitals.
struct Shell {
  std::vector<int> orbitals;
  int least = 0;
  int most = 0;
};

/// All strings with `electrons` electrons in disjoint shells.
std::vector<String> strings_in_shells(const std::vector<Shell>& shells, int electrons,
                                      const base::Backend& host);

/// All strings of any of the references with at most `level` electrons moved.
std::vector<String> strings_near(const std::vector<String>& references, int orbitals, int level,
                                 const base::Backend& host);

/// Ascending and without repeats.
void sort_unique(std::vector<String>& strings);

}  // namespace cisolve::ci

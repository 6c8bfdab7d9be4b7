#pragma once

#include <memory>

#include "job/problem/problem_in_memory.hpp"

namespace cisolve::test {

/// Orbitals between which every pair of the three alpha and three beta electrons scatters.
inline std::shared_ptr<const job::GivenIntegrals> scattering(int orbitals) {
  const int n = orbitals;
  auto given = std::make_shared<job::GivenIntegrals>();
  *given = {.orbitals = n, .alpha = 3, .beta = 3, .core_energy = 0, .one_body = {}, .two_body = {}};
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) given->one_body.push_back(p == q ? p : 0.01);
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q)
      for (int r = 0; r < n; ++r)
        for (int s = 0; s < n; ++s) given->two_body.push_back(0.01 + 0.001 * (p + q) * (r + s));
  return given;
}

}  // namespace cisolve::test

#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::test {

using ci::Spin;

/// Random integrals over orbitals offset..offset + size - 1, zero elsewhere and if forbidden by the
/// irreps of the orbitals.
inline ci::Integrals random_integrals(int size, bool spin_dependent, unsigned seed,
                                      const std::vector<int>& irreps, int orbitals = 0,
                                      int offset = 0) {
  ci::Integrals integrals(std::max(orbitals, size), spin_dependent, base::Backend::openmp());
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  const auto irrep = [&](int p) { return irreps.empty() ? 0 : irreps[p]; };
  integrals.set_core_energy(value(random));
  for (const Spin s : {Spin::alpha, Spin::beta})
    for (int p = 0; p < size; ++p)
      for (int q = 0; q <= p; ++q) {
        if (irrep(p) == irrep(q)) integrals.set_one(s, offset + p, offset + q, value(random));
        for (const Spin t : {Spin::alpha, Spin::beta})
          for (int r = 0; r < size; ++r)
            for (int u = 0; u <= r; ++u)
              if ((irrep(p) ^ irrep(q) ^ irrep(r) ^ irrep(u)) == 0)
                integrals.set_two(s, offset + p, offset + q, t, offset + r, offset + u,
                                  value(random));
      }
  if (!irreps.empty() && integrals.orbitals() == size) integrals.set_irreps(irreps);
  return integrals;
}

/// Folder of other projects' reference data, which may be missing: CISOLVE_DATA, or next to the
/// source tree.
inline std::filesystem::path reference_data() {
  if (const char* named = std::getenv("CISOLVE_DATA")) return named;
  return std::filesystem::path(CISOLVE_SOURCES) / "../shared/data";
}

/// Minimal reader of integral files, for tests of later steps: restricted integrals, "value i j k
/// l" below a header or "i j k l value" without one.
inline ci::Integrals plain_integrals(const std::string& file, int orbitals, bool index_first) {
  std::ifstream in(reference_data() / file);
  std::string line;
  if (!index_first)
    while (std::getline(in, line) && line.find("&END") == std::string::npos &&
           line.find('/') == std::string::npos) {
    }
  ci::Integrals integrals(orbitals, false, base::Backend::openmp());
  while (std::getline(in, line)) {
    std::istringstream words(line);
    double value = 0;
    int p = 0, q = 0, r = 0, s = 0;
    const bool whole = index_first ? static_cast<bool>(words >> p >> q >> r >> s >> value)
                                   : static_cast<bool>(words >> value >> p >> q >> r >> s);
    if (!whole) continue;
    if (r > 0)
      integrals.set_two(Spin::alpha, p - 1, q - 1, Spin::alpha, r - 1, s - 1, value);
    else if (q > 0)
      integrals.set_one(Spin::alpha, p - 1, q - 1, value);
    else if (p == 0)
      integrals.set_core_energy(value);
  }
  return integrals;
}

}  // namespace cisolve::test

#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "ci/fock/spaces/spaces.hpp"
#include "tests/support/ci_systems.hpp"

namespace cisolve::test {

/// A named system: space and integrals.
struct System {
  std::string name;
  ci::Sector sector;
  bool spin_dependent;
};

inline std::vector<System> systems() {
  const std::vector<int> irreps = {0, 1, 0, 2, 3, 1};
  return {{"closed shell", {5, 2, 2}, false},
          {"open shell", {5, 3, 1}, false},
          {"one electron", {4, 1, 0}, false},
          {"no electrons", {3, 0, 0}, false},
          {"full shell", {3, 3, 3}, false},
          {"one orbital", {1, 1, 0}, true},
          {"spin dependent", {5, 2, 3}, true},
          {"equal strings, spin dependent", {5, 2, 2}, true},
          {"all irreps", {6, 3, 2, irreps}, false},
          {"totally symmetric", {6, 3, 3, irreps, 0}, false},
          {"another irrep", {6, 3, 2, irreps, 2}, true}};
}

class SystemTest : public ::testing::TestWithParam<System> {
 protected:
  const ci::Sector& sector() const { return GetParam().sector; }
  ci::Integrals integrals() const {
    return random_integrals(sector().orbitals, GetParam().spin_dependent, 11, sector().irreps);
  }
};

inline std::string name_of_system(const ::testing::TestParamInfo<System>& parameter) {
  std::string name = parameter.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace cisolve::test

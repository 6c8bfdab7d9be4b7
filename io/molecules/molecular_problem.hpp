#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ci/integrals/symmetry.hpp"

namespace cisolve::io {

/// What a file says about a molecule.
struct MolecularProblem {
  ci::Integrals integrals;
  int alpha = 0;
  int beta = 0;
  std::optional<int> irrep;  // XOR label of the state that the file asks for
  std::string dialect;       // how the file was read
  std::vector<std::string> warnings;
  ci::IrrepNames irreps = {};
};

}  // namespace cisolve::io

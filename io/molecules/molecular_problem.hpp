#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ci/fock/integrals/symmetry.hpp"

namespace cisolve::io {

/// Contents of a file with integrals.
struct MolecularProblem {
  ci::Integrals integrals;
  int alpha = 0;
  int beta = 0;
  std::optional<int> irrep;  // XOR label of the state requested by the file
  std::string dialect;       // dialect that the reader recognised
  std::vector<std::string> warnings;
  ci::IrrepNames irreps = {};
};

}  // namespace cisolve::io

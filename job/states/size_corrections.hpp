#pragma once

#include <optional>
#include <vector>

#include "ci/properties/size_consistency.hpp"
#include "job/problem/determinant_problem.hpp"

namespace cisolve::job {

/// What a truncated expansion about references says of its lack of size consistency.
struct ReferenceEnergy {
  double energy = 0;  // of the normalised part of the state on its references, core included
  double weight = 0;  // of this part
  std::optional<ci::SizeCorrections> corrections = {};  // none where the weight is 1/2 or less
};

/// Whether a space holds doubles, or more, of references and is less than full CI, so that
/// corrections of Davidson's kind make sense.
bool has_size_corrections(const Request& request, const DeterminantProblem& molecule);

/// Of a state over the space of `molecule`; electrons that are frozen do not count as correlated.
/// None if the state has no part on the references, but for rounding.
std::optional<ReferenceEnergy> reference_energy(const DeterminantProblem& molecule, const double* x,
                                                double energy);

}  // namespace cisolve::job

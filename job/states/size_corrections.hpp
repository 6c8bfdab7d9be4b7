#pragma once

#include <optional>
#include <vector>

#include "job/problem/determinant_problem.hpp"
#include "job/results/job_results.hpp"

namespace cisolve::job {

/// Whether a space holds doubles, or more, of references and is less than full CI, so that
/// corrections of Davidson's kind make sense.
bool has_size_corrections(const Request& request, const DeterminantProblem& molecule);

/// Of a state over the space of `molecule`; electrons that are frozen do not count as correlated.
/// None if the state has no part on the references, but for rounding.
std::optional<ReferenceEnergy> reference_energy(const DeterminantProblem& molecule, const double* x,
                                                double energy);

}  // namespace cisolve::job

#pragma once

#include <optional>
#include <vector>

#include "job/problem/determinant_problem.hpp"
#include "job/results/job_results.hpp"

namespace cisolve::job {

/// Whether a space holds doubles, or more, of references and is less than full CI, so that
/// corrections of Davidson's kind make sense.
bool has_size_corrections(const Request& request, const DeterminantProblem& molecule);

/// The reference energy of the state `x` over the space of `molecule`; frozen electrons do not
/// count as correlated. None if the weight of the references is only rounding.
std::optional<ReferenceEnergy> reference_energy(const DeterminantProblem& molecule, const double* x,
                                                double energy);

}  // namespace cisolve::job

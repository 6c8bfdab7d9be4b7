#pragma once

#include <optional>
#include <vector>

#include "base/multivector.hpp"
#include "ci/properties/density.hpp"
#include "ci/properties/state_sums.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/results/job_results.hpp"
#include "solver/task/result.hpp"

namespace cisolve::job {

/// A density matrix from its rows, alpha then beta, as they are kept.
ci::OneParticleDensity density_of(const std::vector<double>& values, int orbitals);

/// Groups of states whose energies, which ascend, differ by at most 1e-6 Hartree from one to the
/// next.
std::vector<EnergyLevel> energy_levels(const std::vector<double>& energies);

/// Properties by analysis.properties; none if not requested or if the problem has no operators.
/// `vectors` are in the memory of the backend of `sums`; densities in `kept` are not computed
/// again. `auto` leaves out what would take more than a tenth of the solution's products.
std::optional<StateProperties> properties_of(const DeterminantProblem& molecule,
                                             const Request& request, const solver::Result& result,
                                             const ci::StateSums& sums,
                                             const base::MultiVector& vectors,
                                             const io::StoredDensities& kept);

}  // namespace cisolve::job

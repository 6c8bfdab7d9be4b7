#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/multivector.hpp"
#include "ci/properties/state_sums.hpp"
#include "io/results/results.hpp"
#include "job/problem/determinant_problem.hpp"
#include "solver/task/result.hpp"

namespace cisolve::job {

/// Values of one operator, one for each component.
using Components = std::vector<double>;

/// From the first state to another one.
struct Transition {
  std::size_t to = 0;                            // from 0
  double energy = 0;                             // excitation energy, Hartree
  std::vector<Components> moments;               // <first| O |to> of each operator
  std::optional<double> length_strength = {};    // none without a dipole operator
  std::optional<double> velocity_strength = {};  // none without a velocity operator
};

/// States of one energy. Strengths are summed over them and averaged over the states of the first
/// level: so they do not depend on how degenerate states are combined.
struct EnergyLevel {
  std::size_t first = 0;  // from 0
  std::size_t states = 0;
  double energy = 0;  // above the first level, of its first state
  std::optional<double> length_strength = {};
  std::optional<double> velocity_strength = {};
};

/// Expectation values and transition moments of the operators that a problem brings.
struct StateProperties {
  ci::OneElectronOperators operators = {};           // without their matrices
  std::vector<std::vector<Components>> states = {};  // of each state, of each operator
  std::vector<Transition> transitions = {};
  std::vector<EnergyLevel> levels = {};  // empty unless some states share an energy
  std::optional<double> charge = {};     // of the molecule, if known
  std::string note = {};                 // what was left out, and why
};

/// Groups of states whose energies, which ascend, differ by at most 1e-6 Hartree from one to the
/// next.
std::vector<EnergyLevel> energy_levels(const std::vector<double>& energies);

/// Properties by analysis.properties; none if nothing is asked for or no operator was brought.
/// `vectors` lie on the backend of `sums`; densities in `kept` are not computed again. `auto`
/// leaves out what would take more than a tenth of the solution's products.
std::optional<StateProperties> properties_of(const DeterminantProblem& molecule,
                                             const Request& request, const solver::Result& result,
                                             const ci::StateSums& sums,
                                             const base::MultiVector& vectors,
                                             const io::StoredDensities& kept);

}  // namespace cisolve::job

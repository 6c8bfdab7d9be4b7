#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/results/results.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/states/properties.hpp"
#include "job/states/leading_configurations.hpp"
#include "job/states/site_correlations.hpp"
#include "job/states/size_corrections.hpp"
#include "solver/task/result.hpp"

namespace cisolve::job {

struct DominantDeterminant {
  std::string text;  // all orbitals of the problem, 2 u d 0
  double coefficient;
  double weight() const { return coefficient * coefficient; }
};

/// Properties of one state.
struct StateDescription {
  std::optional<double> s2;    // <S^2>; none if the integrals do not determine it
  bool mixed = false;          // with others of its energy; see mark_unresolved_multiplets()
  std::optional<int> irrep;    // from 1; none if symmetry is off or broken
  std::string irrep_name;      // empty if the point group is not known
  bool irrep_assumed = false;  // number and name rest on an assumed numbering of the file
  std::vector<DominantDeterminant> dominant;
  std::optional<double> reference_weight;  // none if the space has no references
  std::vector<double> occupations;         // of natural orbitals, the largest first; may be empty
  std::optional<double> density_energy;    // from density matrices, or from correlations
  double density_magnitude = 0;            // sum of the absolute terms of an energy from densities
  std::optional<SiteCorrelations> sites;   // of a lattice
  std::vector<LeadingConfiguration> configurations = {};  // by falling weight; none of sites
  std::optional<ReferenceEnergy> reference = {};          // where has_size_corrections()
};

/// The quantity that energies are recomputed from.
enum class EnergySource { densities, correlations };

template <>
struct Words<EnergySource> {
  static constexpr std::array<std::string_view, 2> all = {"densities", "correlations"};
};

struct StateAnalysis {
  std::vector<StateDescription> states;
  EnergySource energies_from = EnergySource::densities;
  Densities densities = Densities::two;  // that were computed; never automatic
  std::string note;                      // why it was fewer than two
  std::string spin_note;                 // why spins are not described; else empty
  std::string spin_density_note;         // why it is zero despite unpaired electrons
  std::vector<std::string> failures;
  io::StoredDensities kept;                   // densities for results.h5
  std::optional<StateProperties> properties;  // of the operators that the problem brings
  io::StoredDensities kept;                                        // densities for results.h5
  std::optional<ConfigurationReference> configurations_from = {};  // where states have these
  std::optional<io::StoredEntropies> entropies = {};               // where they were asked for
};

bool has_irreps(const DeterminantProblem& molecule);

/// Rotates degenerate states of a result, on the backend of their vectors, until total spins, if
/// defined, and irreps are pure; see resolve_degenerate().
std::vector<bool> rotate_degenerate_states(const DeterminantProblem& molecule,
                                           const Request& request, solver::Result& result);

/// Describes the states of a result, whose whole vectors are in host memory; `vectors` are the same
/// on any backend, for the costly parts. An energy recomputed from the densities that differs from
/// the state's is a failure.
StateAnalysis analyse(const DeterminantProblem& molecule, const Request& request,
                      const solver::Result& result, const base::MultiVector& vectors);

}  // namespace cisolve::job

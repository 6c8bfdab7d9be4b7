#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "ci/fock/integrals/one_electron_operator.hpp"
#include "ci/selected/results.hpp"
#include "io/results/stored_densities.hpp"
#include "job/request/choices.hpp"
#include "sparse/formats/options.hpp"

// Results of a job as plain data, members of job::Outcome (job/run/outcome.hpp). Energies in
// Hartree.
namespace cisolve::job {

using base::Index;

/// Time of one product, in seconds.
struct Times {
  double median = 0;
  double fastest = 0;
  double spread = 0;  // half the interquartile range
  double cpu = 0;  // processor time of all threads; less than their wall time if other programs ran
};

/// Error of y = A x, row by row, relative to the row's sum of |a||x|.
struct ProductCheck {
  bool passed = false;
  double max_error = 0;
  Index worst_row = 0;  // counted from 0
};

/// The stored part of a matrix whose other rows are computed.
struct StoredPart {
  Index rows = 0;
  Index nonzeros = 0;
  Index bytes = 0;
};

/// Cost and correctness of y = A x in one format on one backend.
struct MeasuredProduct {
  std::string format;
  std::string backend;
  Index boundary = 0;
  Index nonzeros = 0;
  sparse::MemoryUse memory;
  int vectors = 1;
  double build_seconds = 0;
  std::string built_by = {};                        // name of the backend
  bool is_coded = false;                            // values are stored as codes
  std::optional<StoredPart> stored = std::nullopt;  // set if other rows are computed
  Times times = {};                                 // times of one product
  ProductCheck check = {};

  double gflops() const;  // 2 nnz / T a vector
  double gbytes() const;  // counts 12 bytes per non-zero, whatever the format moves
};

/// One way of working replaced by another, and the reason.
struct Fallback {
  std::string from;
  std::string to;
  std::string reason;
};

/// (1/N) sum_ab cos q (r_a - r_b) <o_a o_b> over all sites a, b.
struct StructureFactor {
  std::vector<Index> momentum;  // along each periodic direction, in units of 2 pi over its length
  double spin = 0;              // structure factor of S_a . S_b
  double charge = 0;            // structure factor of n_a n_b
};

/// Correlations between the sites of a lattice in a state, sites by sites.
struct SiteCorrelations {
  int sites = 0;
  std::vector<double> spin;              // <S_a . S_b>
  std::vector<double> spin_z;            // <S^z_a S^z_b>; empty for electrons
  std::vector<double> charge;            // <n_a n_b>; empty for spins alone
  std::vector<double> up;                // <S^z_a> of spins, <n_a> of electrons
  std::vector<StructureFactor> factors;  // empty unless the lattice has a periodic direction
  double neighbours = 0;                 // the mean of `spin` over nearest neighbours
};

struct DominantDeterminant {
  std::string text;  // occupation of every orbital of the problem: 2, u, d or 0
  double coefficient;
  double weight() const { return coefficient * coefficient; }
};

/// A configuration of a state: all determinants of one occupation of the orbitals, whatever the
/// coupling of their open shells. Of integrals that depend on spin, one determinant.
struct LeadingConfiguration {
  std::string excitation;        // "HOMO,HOMO-1 -> LUMO,LUMO"; empty for the reference itself
  std::vector<Index> from = {};  // orbitals, from 1 in the problem's order, one per electron
  std::vector<Index> to = {};
  double weight = 0;  // sum of the squared coefficients
};

/// Estimates of what a truncated CI energy lacks for size consistency, to be added to it:
/// ci::SizeCorrections.
struct EnergyCorrections {
  double davidson;
  double renormalised;
  double pople;
};

/// Energy of the references of a truncated expansion, and its corrections for size consistency.
struct ReferenceEnergy {
  double energy = 0;  // energy of the normalised part of the state on its references, core included
  double weight = 0;  // weight of this part in the state
  std::optional<EnergyCorrections> corrections = {};  // none if the weight is at most 1/2
};

/// Properties of one state.
struct StateDescription {
  std::optional<double> s2;    // <S^2>; none if the integrals do not determine it
  bool is_unresolved = false;  // mixed with states of its energy; see mark_unresolved_multiplets()
  std::optional<int> irrep;    // counted from 1; none if symmetry is off or broken
  std::string irrep_name;      // empty if the point group is not known
  bool irrep_assumed = false;  // number and name rest on an assumed numbering of the file
  std::vector<DominantDeterminant> dominant;
  std::optional<double> reference_weight;  // none if the space has no references
  /// Occupations of natural orbitals, the largest first; may be empty.
  std::vector<double> occupations;
  std::optional<double> density_energy;   // energy from density matrices or correlations
  double density_magnitude = 0;           // sum of the absolute terms of an energy from densities
  std::optional<SiteCorrelations> sites;  // correlations between a lattice's sites
  /// Sorted by falling weight; empty for site states.
  std::vector<LeadingConfiguration> configurations = {};
  std::optional<ReferenceEnergy> reference = {};  // set if has_size_corrections()
};

/// The quantity that energies are recomputed from.
enum class EnergySource { densities, correlations };

template <>
struct Words<EnergySource> {
  static constexpr std::array<std::string_view, 2> all = {"densities", "correlations"};
};

/// Values of one operator, one for each component.
using Components = std::vector<double>;

/// A transition from the first state to another one.
struct Transition {
  std::size_t to = 0;                            // counted from 0
  double energy = 0;                             // excitation energy, Hartree
  std::vector<Components> moments;               // <first| O |to> of each operator
  std::optional<double> length_strength = {};    // none without a dipole operator
  std::optional<double> velocity_strength = {};  // none without a velocity operator
};

/// States of one energy. Strengths are summed over them and averaged over the states of the first
/// level: so they do not depend on how degenerate states are combined.
struct EnergyLevel {
  std::size_t first = 0;  // counted from 0
  std::size_t states = 0;
  double energy = 0;  // above the first level, of its first state
  std::optional<double> length_strength = {};
  std::optional<double> velocity_strength = {};
};

/// Populations of one kind, an element for each atom.
struct AtomPopulations {
  std::vector<double> charges = {};  // of the nucleus, less its electrons
  std::vector<double> spins = {};    // alpha less beta electrons
};

/// Populations of the atoms in one state.
struct Populations {
  AtomPopulations mulliken = {};
  AtomPopulations loewdin = {};
};

/// Expectation values and transition moments of the operators that a problem brings.
struct StateProperties {
  ci::OneElectronOperators operators = {};           // the operators without their matrices
  std::vector<std::vector<Components>> states = {};  // for each state, each operator's components
  std::vector<Transition> transitions = {};
  std::vector<EnergyLevel> levels = {};       // empty unless some states share an energy
  std::optional<double> charge = {};          // charge of the molecule, if known
  std::string note = {};                      // what was left out, and why
  std::vector<std::string> atoms = {};        // symbols of the atoms, if there are populations
  std::vector<Populations> populations = {};  // for each state, if requested
};

/// The determinant to which the configurations of all states are relative, and its orbitals.
struct ConfigurationReference {
  std::string determinant;  // occupation of all orbitals: 2, u, d or 0
  /// Sorted by rising energy; orbitals of alpha electrons if spins differ.
  std::vector<Index> orbitals = {};
  std::vector<double> energies = {};    // energies of these orbitals
  std::vector<std::string> names = {};  // names of these orbitals
};

struct StateAnalysis {
  std::vector<StateDescription> states;
  EnergySource energies_from = EnergySource::densities;
  Densities densities = Densities::two;  // densities that were computed; never automatic
  std::string note;                      // why it was fewer than two
  std::string spin_note;                 // why spins are not described; else empty
  std::string spin_density_note;         // why it is zero despite unpaired electrons
  std::vector<std::string> failures;
  io::StoredDensities kept;                        // densities for results.h5
  std::optional<StateProperties> properties = {};  // values of the problem's operators
  /// Set if states have configurations.
  std::optional<ConfigurationReference> configurations_from = {};
  std::optional<io::StoredEntropies> entropies = {};                     // set if requested
  std::optional<io::StoredTransitionOrbitals> transition_orbitals = {};  // set if requested
  std::optional<io::StoredDyson> dyson = {};                             // set if requested
};

/// A selected space at one step of its schedule, with its lowest states. Energies in Hartree.
struct SelectionRound {
  double epsilon = 0;  // threshold of heat-bath selection; 0 if a size is requested
  Index determinants = 0;
  std::vector<double> energies = {};                     // variational, of each state
  std::vector<ci::StatePerturbation> perturbation = {};  // one per state; empty: not computed
  double seconds = 0;                                    // time to grow, solve and perturb it
};

/// Outcome of a selected space: how it grew, and the perturbation of the states that were verified.
struct Selection {
  std::vector<SelectionRound> rounds = {};               // the last one is the space of the states
  std::string end = {};                                  // why growth stopped, for users
  std::string note = {};                                 // names states that it cannot contain
  double perturbation_epsilon = 0;                       // terms |H_ai c_i| below are left out
  std::vector<ci::StatePerturbation> perturbation = {};  // one per state; empty: not computed
  Index external = 0;                                    // determinants outside that it sums over
  std::vector<ci::Extrapolation> extrapolated = {};      // one per state; empty: not requested
  /// The sample of external determinants whose couplings were recomputed by the oracle.
  Index sampled = 0;
  double sample_difference = 0;  // the largest, relative to the sum of absolute terms
  bool sample_passed = true;
};

}  // namespace cisolve::job

#include "job/states/state_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <utility>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/openmp/background.hpp"
#include "ci/fock/integrals/symmetry.hpp"
#include "ci/properties/density.hpp"
#include "ci/properties/state_sums.hpp"
#include "ci/properties/weights.hpp"
#include "job/problem/lattice_problem.hpp"
#include "job/request/shortage.hpp"
#include "job/states/degenerate.hpp"
#include "job/states/total_spin.hpp"
#include "solver/vectors/small_eigen.hpp"

namespace cisolve::job {
namespace {

constexpr double kWholeWeight = 1 - 1e-6;  // weight in one irrep: less is a mixture
constexpr double kDensityError = 1e-9;     // error of an energy from densities, in Hartree
/// Relative to the energy and to its terms; more is an error.
constexpr double kDensityRounding = 1e-12;

// Cost of a two-particle density of a state, in products.
constexpr Index kProductsPerDensity = 3;
// Rows of products plus numbers of a density, milliseconds, below which the cost is ignored.
constexpr Index kNoCost = Index{1} << 18;

std::optional<int> irrep_of_state(const DeterminantProblem& molecule, const double* x) {
  if (!has_irreps(molecule)) return std::nullopt;
  const auto weights = ci::irrep_weights(molecule.space, molecule.integrals.irreps(), x);
  const auto largest = std::ranges::max_element(weights);
  if (*largest < kWholeWeight) return std::nullopt;
  return static_cast<int>(largest - weights.begin()) + 1;
}

std::vector<DominantDeterminant> dominant_of(const DeterminantProblem& molecule, const double* x,
                                             Index count) {
  const auto size = static_cast<std::size_t>(molecule.space.dimension());
  std::vector<DominantDeterminant> list;
  for (const Index row : ci::dominant_rows({x, size}, count, molecule.space.host())) {
    const auto whole = ci::whole_determinant(molecule.window, molecule.space.determinant(row));
    list.push_back({ci::to_text(whole.determinant, molecule.orbitals), whole.sign * x[row]});
  }
  return list;
}

/// Properties of the vector itself.
struct VectorSummary {
  std::optional<int> irrep;
  std::vector<DominantDeterminant> dominant;
  std::optional<double> reference_weight;
  std::vector<LeadingConfiguration> configurations = {};
  std::optional<ReferenceEnergy> reference = {};
};

std::vector<VectorSummary> sights_of(const DeterminantProblem& molecule, const Request& request,
                                     const solver::Result& result,
                                     const std::optional<OrbitalNames>& names) {
  const auto& references = molecule.space.references();
  const base::ConstBlock states = result.vectors.block();
  const Index listed = request.analysis.determinants;
  const bool has_corrections = has_size_corrections(request, molecule);
  std::vector<VectorSummary> all;
  for (int j = 0; j < states.columns; ++j) {
    const double* x = states.column(j);
    VectorSummary& seen = all.emplace_back();
    seen.irrep = irrep_of_state(molecule, x);
    seen.dominant = dominant_of(molecule, x, listed);
    if (!references.empty()) seen.reference_weight = ci::weight_of(molecule.space, references, x);
    if (names) seen.configurations = leading_configurations(molecule, *names, x, listed);
    if (has_corrections)
      seen.reference =
          reference_energy(molecule, x, result.states[static_cast<std::size_t>(j)].energy);
  }
  return all;
}

void take_sight(VectorSummary seen, const DeterminantProblem& molecule, StateDescription& state) {
  state.irrep = seen.irrep;
  if (state.irrep && *state.irrep <= std::ssize(molecule.irreps.names))
    state.irrep_name = molecule.irreps.names[*state.irrep - 1];
  state.irrep_assumed = state.irrep && molecule.irreps.assumed;
  state.dominant = std::move(seen.dominant);
  state.reference_weight = seen.reference_weight;
  state.configurations = std::move(seen.configurations);
  state.reference = seen.reference;
}

/// The alpha part, then the beta part, each row by row.
std::vector<double> values_of(const ci::OneParticleDensity& density, int orbitals) {
  std::vector<double> values;
  values.reserve(2 * static_cast<std::size_t>(orbitals) * orbitals);
  for (const ci::Spin spin : {ci::Spin::alpha, ci::Spin::beta})
    for (int p = 0; p < orbitals; ++p)
      for (int q = 0; q < orbitals; ++q) values.push_back(density(spin, p, q));
  return values;
}

std::vector<double> values_of(const ci::TwoParticleDensity& density, int orbitals) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(orbitals) * orbitals * orbitals * orbitals);
  for (int p = 0; p < orbitals; ++p)
    for (int q = 0; q < orbitals; ++q)
      for (int r = 0; r < orbitals; ++r)
        for (int s = 0; s < orbitals; ++s) values.push_back(density.spin_free(p, q, r, s));
  return values;
}

/// The natural orbitals of a state, the most occupied first; alpha and beta orbitals are the same.
void describe_naturals(const ci::OneParticleDensity& density, int orbitals, StateDescription& state,
                       io::StoredDensities& kept) {
  const auto pairs = solver::symmetric_eigen(density.spin_free());
  std::vector<double> coefficients;
  for (int k = orbitals - 1; k >= 0; --k) {
    state.occupations.push_back(pairs.values[k]);
    for (int p = 0; p < orbitals; ++p) coefficients.push_back(pairs.vectors(p, k));
  }
  kept.natural_orbitals.push_back(std::move(coefficients));
  kept.natural_occupations.push_back(state.occupations);
}

/// Chooses the densities to compute, and says why not all.
void choose_densities(const DeterminantProblem& molecule, const Request& request,
                      const solver::Result& result, StateAnalysis& analysis) {
  const Densities wanted = request.analysis.densities;
  if (wanted != Densities::automatic) {
    analysis.densities = wanted;
    if (wanted != Densities::two)
      analysis.note = base::concat("analysis.densities is ", word_of(wanted));
    return;
  }
  const Index bytes = ci::TwoParticleDensity::bytes(molecule.integrals.orbitals());
  const Index left = molecule.space.host().host_memory().left();
  const Index cost = kProductsPerDensity * std::ssize(result.states);
  if (bytes > left / 2)
    analysis.note = base::concat("the two-particle density would take ", base::human_bytes(bytes),
                                 " of the free ", base::human_bytes(left));
  else if (cost > result.products &&
           cost * molecule.space.dimension() + bytes / Index{sizeof(double)} > kNoCost)
    analysis.note = base::concat("the two-particle densities would cost about ", cost,
                                 " products, but the solution took ", result.products,
                                 "; set analysis.densities to two to compute them");
  if (!analysis.note.empty()) analysis.densities = Densities::one;
}

/// `keeps_two`: two-particle densities, which are large, are kept if computed.
void describe_densities(const DeterminantProblem& molecule, const ci::StateSums& sums,
                        const double* x, bool keeps_two,
                        const std::optional<LatticeProblem>& lattice, StateDescription& state,
                        StateAnalysis& analysis) {
  const int orbitals = molecule.integrals.orbitals();
  const ci::OneParticleDensity one = ci::one_particle_density(sums, x);
  if (analysis.spin_note.empty()) describe_naturals(one, orbitals, state, analysis.kept);
  analysis.kept.one_particle.push_back(values_of(one, orbitals));
  if (analysis.densities != Densities::two) return;
  const ci::TwoParticleDensity two(sums, x);
  state.density_energy = ci::energy(molecule.integrals, one, two);
  state.density_magnitude = ci::energy_magnitude(molecule.integrals, one, two);
  if (lattice) state.sites = site_correlations(*lattice, one, two);
  const auto electrons = [&](ci::Spin spin) { return molecule.space.electrons(spin); };
  if (analysis.spin_note.empty())
    state.s2 = two.spin_squared(electrons(ci::Spin::alpha), electrons(ci::Spin::beta));
  if (!keeps_two || !analysis.spin_note.empty()) return;  // the density is summed over the spins
  const Index elements = Index{orbitals} * orbitals * orbitals * orbitals;
  molecule.space.host().host_memory().require(
      elements * Index{sizeof(double)} * std::ssize(analysis.kept.one_particle),
      "the two-particle densities to be saved");
  analysis.kept.two_particle.push_back(values_of(two, orbitals));
}

/// The lattice whose sites are all orbitals, if correlations are wanted.
std::optional<LatticeProblem> sites_of(const DeterminantProblem& molecule, const Request& request) {
  const bool has_sites = request.source == ProblemSource::lattice &&
                         std::ssize(molecule.window.active) == molecule.orbitals;
  if (!has_sites || request.analysis.correlations == Correlations::none) return std::nullopt;
  return lattice_problem(request);
}

/// At Ms = 0 the alpha and beta densities of a state of pure spin are equal.
std::string note_of_spin_density(const DeterminantProblem& molecule,
                                 const std::vector<StateDescription>& states) {
  constexpr double kUnpaired = 0.5;  // between S^2 of singlets, 0, and triplets, 2
  double largest = 0;
  for (const StateDescription& state : states) largest = std::max(largest, state.s2.value_or(0));
  if (molecule.alpha != molecule.beta || largest < kUnpaired) return {};
  const auto twice = std::lround(std::sqrt(1 + 4 * largest) - 1);  // S (S + 1) = S^2
  return base::concat(
      "at Ms = 0 the spin density is zero for any spin S; set problem.ms2 to 2 S, here ", twice,
      ", for the spin density at Ms = S");
}

/// Transition densities from the first state to each other one.
void keep_transitions(const ci::StateSums& sums, const base::MultiVector& x,
                      io::StoredDensities& kept) {
  for (int j = 1; j < x.columns(); ++j)
    kept.transition.push_back(
        values_of(ci::transition_density(sums, x.block().column(0), x.block().column(j)),
                  sums.space().orbitals()));
}

/// Adds properties, or the reason why memory does not suffice for them.
void take_properties(const DeterminantProblem& molecule, const Request& request,
                     const solver::Result& result, const ci::StateSums& sums,
                     const base::MultiVector& vectors, StateAnalysis& analysis) {
  const std::string short_of = run_catching_shortage(MemoryOf::host, [&] {
    analysis.properties = properties_of(molecule, request, result, sums, vectors, analysis.kept);
  });
  if (!short_of.empty()) analysis.properties = StateProperties{.note = short_of};
}

/// Describes states with the densities that `analysis` names. The host inspects the vectors, in
/// some passes, while a device computes densities.
StateAnalysis described(const DeterminantProblem& molecule, const Request& request,
                        const solver::Result& result, const base::MultiVector& vectors,
                        StateAnalysis analysis) {
  const auto sums = ci::state_sums(molecule.space, vectors.backend());
  const std::optional<LatticeProblem> lattice = sites_of(molecule, request);
  std::vector<double> spins;
  if (analysis.spin_note.empty() && analysis.densities != Densities::two)  // else these give it
    spins = spins_of(*sums->spin_squared(), vectors);
  const auto names = request.analysis.determinants > 0
                         ? orbital_names(molecule, result.vectors.block().column(0))
                         : std::nullopt;
  const auto look = [&] { return sights_of(molecule, request, result, names); };
  auto looking = base::run_while_device_works(vectors.backend(), look);
  for (int j = 0; j < result.vectors.columns(); ++j) {
    StateDescription state;
    if (!spins.empty()) state.s2 = spins[j];
    if (analysis.densities != Densities::none)
      describe_densities(molecule, *sums, vectors.block().column(j),
                         request.analysis.densities == Densities::two, lattice, state, analysis);
    const double energy = result.states[j].energy;
    const double allowed =
        kDensityError + kDensityRounding * std::max(std::abs(energy), state.density_magnitude);
    const bool is_whole = request.elements.threshold == 0;  // the energies agree only then
    if (is_whole && state.density_energy && !(std::abs(*state.density_energy - energy) <= allowed))
      analysis.failures.push_back(base::concat("state ", j + 1, " has the energy ", energy,
                                               ", but its density matrices give ",
                                               *state.density_energy));
    analysis.states.push_back(std::move(state));
  }
  if (request.elements.threshold > 0 && analysis.densities == Densities::two)
    analysis.note =
        base::concat("they include all elements, whereas the states belong to the matrix without ",
                     "elements up to ", base::shortest(request.elements.threshold));
  std::vector<VectorSummary> seen = looking.get();
  for (std::size_t j = 0; j < seen.size(); ++j)
    take_sight(std::move(seen[j]), molecule, analysis.states[j]);
  if (names) analysis.configurations_from = configuration_reference(molecule, *names);
  if (analysis.densities != Densities::none) {
    keep_transitions(*sums, vectors, analysis.kept);
    analysis.spin_density_note = note_of_spin_density(molecule, analysis.states);
  }
  for (const int p : molecule.window.active) analysis.kept.orbitals.push_back(p + 1);
  take_properties(molecule, request, result, *sums, vectors, analysis);
  return analysis;
}

}  // namespace

bool has_irreps(const DeterminantProblem& molecule) {
  return ci::has_symmetry(molecule.integrals.irreps());
}

std::vector<bool> rotate_degenerate_states(const DeterminantProblem& molecule,
                                           const Request& request, solver::Result& result) {
  const bool has_spin = why_no_spin(molecule.integrals).empty();
  if (!has_degenerate(result) || !(has_spin || has_irreps(molecule)))
    return std::vector<bool>(result.states.size(), false);
  const auto sums = ci::state_sums(molecule.space, result.vectors.backend());
  std::vector<std::unique_ptr<base::LinearOperator>> operators;
  if (has_spin) operators.push_back(sums->spin_squared());
  if (has_irreps(molecule)) operators.push_back(sums->irrep_labels(molecule.integrals.irreps()));
  std::vector<const base::LinearOperator*> views;
  for (const auto& operation : operators) views.push_back(operation.get());
  return resolve_degenerate(result, views, request.solver.tolerance);
}

// If memory is short, less is described rather than states lost. A shortage of the device is passed
// on: the host may have the memory.
StateAnalysis analyse(const DeterminantProblem& molecule, const Request& request,
                      const solver::Result& result, const base::MultiVector& vectors) {
  base::require_whole(result.layout, molecule.space.dimension(), "states to be described");
  StateAnalysis analysis;
  choose_densities(molecule, request, result, analysis);
  analysis.spin_note = why_no_spin(molecule.integrals);
  while (analysis.densities != Densities::none) {
    std::optional<StateAnalysis> found;
    analysis.note = run_catching_shortage(MemoryOf::host, [&] {
      found.emplace(described(molecule, request, result, vectors, analysis));
    });
    if (found) return *std::move(found);
    analysis.densities = analysis.densities == Densities::two ? Densities::one : Densities::none;
  }
  return described(molecule, request, result, vectors, analysis);
}

}  // namespace cisolve::job

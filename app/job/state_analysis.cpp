#include "app/job/state_analysis.hpp"

#include <algorithm>
#include <cmath>

#include "app/job/degenerate.hpp"
#include "app/job/solver_view.hpp"
#include "base/error.hpp"
#include "ci/density.hpp"
#include "ci/spin_squared.hpp"
#include "ci/weights.hpp"
#include "solver/small_eigen.hpp"

namespace cisolve::app {
namespace {

constexpr double kWholeWeight = 1 - 1e-6;   // in one irrep: less is a mixture
constexpr double kDensityError = 1e-9;      // in Hartree, of an energy from densities
constexpr double kDensityRounding = 1e-12;  // of the energy, beyond that

// The two-particle density of a state costs about as much as so many of its products.
constexpr Index kProductsPerDensity = 3;

bool has_irreps(const Molecule& molecule) {
  return std::ranges::any_of(molecule.integrals.irreps(), [](int label) { return label != 0; });
}

std::optional<int> irrep_of_state(const Molecule& molecule, const double* x) {
  if (!has_irreps(molecule)) return std::nullopt;
  const auto weights = ci::irrep_weights(molecule.space, molecule.integrals.irreps(), x);
  const auto largest = std::ranges::max_element(weights);
  if (*largest < kWholeWeight) return std::nullopt;
  return static_cast<int>(largest - weights.begin()) + 1;
}

std::vector<DominantDeterminant> dominant_of(const Molecule& molecule, const double* x,
                                             Index count) {
  std::vector<DominantDeterminant> list;
  for (const Index row : ci::dominant_rows(molecule.space, x, count)) {
    const auto whole = ci::whole_determinant(molecule.window, molecule.space.determinant(row));
    list.push_back({ci::to_text(whole.determinant, molecule.orbitals), whole.sign * x[row]});
  }
  return list;
}

std::vector<double> occupations_of(const ci::OneParticleDensity& density) {
  std::vector<double> values = solver::symmetric_eigen(density.spin_free()).values;
  std::ranges::reverse(values);
  return values;
}

/// Which densities to compute, and why not all.
void choose_densities(const Molecule& molecule, const Configuration& configuration,
                      const solver::Result& result, StateAnalysis& analysis) {
  const std::string& wanted = configuration.analysis.densities;
  if (wanted != "auto") {
    analysis.densities = wanted;
    if (wanted != "two") analysis.note = base::concat("not wanted: analysis.densities is ", wanted);
    return;
  }
  const Index bytes = ci::TwoParticleDensity::bytes(molecule.integrals.orbitals());
  const Index left = molecule.space.host().host_memory().left();
  const Index cost = kProductsPerDensity * std::ssize(result.states);
  if (bytes > left / 2)
    analysis.note =
        base::concat("it would hold ", base::human_bytes(bytes), " of ", base::human_bytes(left));
  else if (cost > result.products)
    analysis.note = base::concat("it would cost about ", cost, " products where the solution took ",
                                 result.products, "; analysis.densities: two asks for it");
  if (!analysis.note.empty()) analysis.densities = "one";
}

void describe_densities(const Molecule& molecule, const double* x, bool with_two,
                        StateDescription& state) {
  const ci::OneParticleDensity one = ci::one_particle_density(molecule.space, x);
  state.occupations = occupations_of(one);
  if (with_two)
    state.density_energy =
        ci::energy(molecule.integrals, one, ci::TwoParticleDensity(molecule.space, x));
}

}  // namespace

std::vector<bool> purify(const Molecule& molecule, const Configuration& configuration,
                         solver::Result& result) {
  if (!has_degenerate(result)) return std::vector<bool>(result.states.size(), false);
  const ci::SpinSquared s2(molecule.space);
  const ci::IrrepLabels irreps(molecule.space, molecule.integrals.irreps());
  std::vector<const base::LinearOperator*> operators{&s2};
  if (has_irreps(molecule)) operators.push_back(&irreps);
  return resolve_degenerate(result, operators, configuration.solver.tolerance);
}

StateAnalysis analyse(const Molecule& molecule, const Configuration& configuration,
                      const solver::Result& result) {
  StateAnalysis analysis;
  choose_densities(molecule, configuration, result, analysis);
  const std::vector<double> spins = spins_of(molecule.space, result.vectors);
  for (int j = 0; j < result.vectors.columns(); ++j) {
    const double* x = result.vectors.block().column(j);
    StateDescription state;
    state.s2 = spins[j];
    state.irrep = irrep_of_state(molecule, x);
    state.dominant = dominant_of(molecule, x, configuration.analysis.determinants);
    const auto& references = molecule.space.references();
    if (!references.empty()) state.reference_weight = ci::weight_of(molecule.space, references, x);
    if (analysis.densities != "none")
      describe_densities(molecule, x, analysis.densities == "two", state);
    const double energy = result.states[j].energy;
    const double allowed = kDensityError + kDensityRounding * std::abs(energy);
    const bool is_whole = configuration.elements.threshold == 0;  // else the energies must differ
    if (is_whole && state.density_energy && !(std::abs(*state.density_energy - energy) <= allowed))
      analysis.failures.push_back(base::concat("state ", j + 1, " has the energy ", energy,
                                               " and its density matrices give ",
                                               *state.density_energy));
    analysis.states.push_back(std::move(state));
  }
  return analysis;
}

}  // namespace cisolve::app
